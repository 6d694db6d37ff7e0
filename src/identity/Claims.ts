/**
 * What a verified token says about its holder: identity, the accounts that it grants, and whether it is an
 * administrator's.
 */
import { Config, Option, Predicate, Schema } from "effect"
import { toComparable } from "../domain/EmailAddress.ts"
import { AccountSlug, Role } from "../domain/Account.ts"
import { Email } from "../domain/Member.ts"
import type { Identity } from "../domain/Principal.ts"
import { Administrators, administratorRole, isNamed } from "./Administrator.ts"

/** The claims in which the provider puts accounts and roles, and the role of platform administrators. */
export const ClaimSettings = Config.all({
  accounts: Config.NonEmptyString("OIDC_ACCOUNTS_CLAIM").pipe(Config.withDefault("accounts")),
  roles: Config.NonEmptyString("OIDC_ROLES_CLAIM").pipe(Config.withDefault("roles")),
  administrators: Administrators,
})
export type ClaimSettings = Config.Success<typeof ClaimSettings>

/** The maximum number of accounts in a token. A header cannot hold so many; it is only a bound. */
const maximumAccounts = 1000

const Subject = Schema.String.check(Schema.isPattern(/^[^\p{Cc}\p{Cs}]+$/u), Schema.isMaxLength(255))
const Listed = Schema.Union([AccountSlug, Schema.Struct({ slug: AccountSlug, role: Schema.optionalKey(Role) })])

const subjectOf = Schema.decodeUnknownOption(Subject)
const emailOf = Schema.decodeUnknownOption(Email)
const listedOf = Schema.decodeUnknownOption(Listed)

/**
 * The identity in a token's claims; none if the subject cannot be stored. Other claims that do not fit are left out:
 * they grant nothing.
 */
export const identityOf = (
  issuer: string,
  payload: Readonly<Record<string, unknown>>,
  settings: ClaimSettings,
  expires_at: Date,
): Option.Option<Identity> =>
  Option.map(subjectOf(payload["sub"]), (subject) => {
    const email = Option.getOrNull(Option.map(emailOf(payload["email"]), toComparable))
    const person = { issuer, subject, email, email_verified: email !== null && payload["email_verified"] === true }
    return {
      _tag: "Person",
      ...person,
      expires_at,
      name: Predicate.isString(payload["name"]) ? payload["name"].slice(0, 200) : null,
      admin: listOf(payload[settings.roles]).includes(administratorRole) || isNamed(settings.administrators, person),
      claimed: listOf(payload[settings.accounts])
        .slice(0, maximumAccounts)
        .flatMap((entry) => Option.toArray(listedOf(entry)))
        .map((entry) =>
          Predicate.isString(entry)
            ? { slug: entry, role: "member" }
            : { slug: entry.slug, role: entry.role ?? "member" },
        ),
    }
  })

/** A provider may write a list of one item as the bare item. */
const listOf = (claim: unknown): ReadonlyArray<unknown> => {
  if (claim === undefined || claim === null) return []
  return Array.isArray(claim) ? claim : [claim]
}
