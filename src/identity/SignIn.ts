/**
 * Requests before an account is chosen: the development login, which accounts exist, and the bearer's identity
 * (decisions §3).
 */
import { Effect } from "effect"
import { toComparable } from "../domain/EmailAddress.ts"
import { type AccountSlug, platformAdmin } from "../domain/Account.ts"
import { Unauthenticated } from "../domain/Principal.ts"
import { NotFound } from "../domain/Refusals.ts"
import { AccountDirectory } from "../tenancy/AccountDirectory.ts"
import { Authenticator } from "./Authentication.ts"
import { DevelopmentLogin } from "./DevelopmentLogin.ts"
import { Memberships } from "./Memberships.ts"

interface Login {
  readonly email: string
  readonly account?: AccountSlug
  readonly admin?: boolean
}

/** The development login. Fails in production, where it does not exist. */
export const whereDeveloped = Effect.flatMap(DevelopmentLogin, (login) =>
  Effect.mapError(Effect.fromOption(login), () => new NotFound({ resource: "path", id: "/api/login" })),
)

/** Issues a token for the email. If the request names an account, the holder is an owner of it from now on. */
export const login = Effect.fn("SignIn.login")(function* ({ account, admin = false, email }: Login) {
  const { issue } = yield* whereDeveloped
  if (account !== undefined) {
    const directory = yield* AccountDirectory
    const memberships = yield* Memberships
    const { id } = yield* directory.find(account)
    yield* memberships.put(id, { email }, "owner")
  }
  const issued = yield* issue(toComparable(email), { admin })
  return { ...issued, token_type: "Bearer" as const, account: account ?? null }
})

/** The accounts that a login page may show. */
export const accounts = AccountDirectory.use(({ discoverable }) => Effect.map(discoverable, (items) => ({ items })))

export const validate = Effect.fn("SignIn.validate")(function* (account: AccountSlug) {
  if (account === platformAdmin) return { account, valid: false, reason: "reserved" as const }
  const directory = yield* AccountDirectory
  const status = yield* Effect.match(directory.find(account), {
    onFailure: () => "unknown" as const,
    onSuccess: ({ account: { status } }) => status,
  })
  return status === "unknown" || status === "suspended"
    ? { account, valid: false, reason: status }
    : { account, valid: true }
})

/** The bearer's identity, and the accounts that the bearer may open. */
export const organisation = Effect.fn("SignIn.organisation")(function* (bearer: string) {
  const authenticator = yield* Authenticator
  const memberships = yield* Memberships
  const person = yield* authenticator.identify(bearer)
  if (person._tag === "ApiKey")
    return yield* new Unauthenticated({ detail: "An API key does not stand for a person. Send the token of a person." })
  const accounts = yield* memberships.accountsOf(person)
  return { subject: person.subject, email: person.email, name: person.name, accounts }
})
