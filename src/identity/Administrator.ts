/**
 * The platform's administrators: holders of a token with the role `parley-admin`, and those that `PARLEY_ADMINS` names.
 */
import { Config } from "effect"
import { toComparable } from "../domain/EmailAddress.ts"
import type { Identity } from "../domain/Principal.ts"
import { commaList } from "./OidcSettings.ts"

export const administratorRole = "parley-admin"

/** `PARLEY_ADMINS`: a comma list of verified emails and of `issuer#subject`. */
export const Administrators = Config.String("PARLEY_ADMINS").pipe(Config.withDefault(""), Config.map(commaList))

/**
 * Whether the list names this person. An issuer has no fragment, so the first `#` ends it. An unverified email matches
 * no administrator.
 */
export const isNamed = (
  administrators: ReadonlyArray<string>,
  person: Pick<Identity, "issuer" | "subject" | "email" | "email_verified">,
): boolean =>
  administrators.some((entry) => {
    const hash = entry.indexOf("#")
    if (hash >= 0) return entry.slice(0, hash) === person.issuer && entry.slice(hash + 1) === person.subject
    return person.email_verified && person.email !== null && toComparable(entry) === person.email
  })
