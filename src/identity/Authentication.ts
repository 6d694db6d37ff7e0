/** Who is asking, and may they? The decision of decisions §3, without a word of HTTP; the edge walks its steps in order. */
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountNotFound } from "../domain/Account.ts"
import {
  AccountSuspended,
  AdminRequired,
  type Identified,
  type Identity,
  type IssuerUnreachable,
  NotAMember,
  type Principal,
  type Unauthenticated,
} from "../domain/Principal.ts"
import { AccountDirectory, type AccountEntry } from "../tenancy/AccountDirectory.ts"
import { PlatformDatabase, within } from "../tenancy/PlatformDatabase.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as BearerToken from "./BearerToken.ts"
import * as Memberships from "./Memberships.ts"
import { OidcVerifier } from "./OidcVerifier.ts"

export class Authenticator extends Context.Service<
  Authenticator,
  {
    /** What the text after `Bearer ` says by itself. No database of an account is touched. */
    readonly identify: (bearer: string) => Effect.Effect<Identified, Unauthenticated | IssuerUnreachable>
    /** The account that a request names. To an API key an unknown one is a 401: nothing there could prove the key. */
    readonly locate: (
      identified: Identified,
      slug: string,
    ) => Effect.Effect<AccountEntry, AccountNotFound | Unauthenticated>
    /** Membership and role, or the key and its scopes, in the account whose database is the fiber's `SqlClient`. */
    readonly admit: (
      identified: Identified,
      entry: AccountEntry,
    ) => Effect.Effect<Principal, Unauthenticated | NotAMember | AccountSuspended, SqlClient.SqlClient>
    /** Platform administrators alone. */
    readonly administrator: (identified: Identified) => Effect.Effect<Identity, AdminRequired>
  }
>()("identity/Authenticator") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const directory = yield* AccountDirectory
      const platform = yield* PlatformDatabase
      const { verify } = yield* OidcVerifier

      const identify = Effect.fnUntraced(function* (bearer: string) {
        if (!ApiKeys.isApiKey(bearer))
          return yield* Effect.flatMap(Effect.fromResult(BearerToken.parse(bearer)), verify)
        return yield* Effect.fromResult(ApiKeys.parse(bearer))
      })

      const locate = (identified: Identified, slug: string) =>
        directory
          .find(slug)
          .pipe(Effect.mapError((unknown) => (identified._tag === "ApiKey" ? ApiKeys.unknownKey() : unknown)))

      const admit = Effect.fnUntraced(function* (identified: Identified, entry: AccountEntry) {
        const { slug, status } = entry.account
        const principal = yield* identified._tag === "ApiKey"
          ? ApiKeys.authenticate(identified)
          : Effect.provideService(personIn(identified, entry), PlatformDatabase, platform)
        if (status === "suspended") return yield* new AccountSuspended({ slug })
        return principal
      })

      const administrator = (identified: Identified) =>
        identified._tag === "Person" && identified.admin
          ? Effect.succeed(identified)
          : Effect.fail(new AdminRequired({ missing: "role" }))

      return { identify, locate, admit, administrator }
    }),
  )
}

const personIn = Effect.fnUntraced(function* ({ claimed, ...person }: Identity, entry: AccountEntry) {
  const { slug } = entry.account
  const role = yield* within(Memberships.roleOf({ ...person, claimed }, { id: entry.id, slug }))
  return role === undefined ? yield* new NotAMember({ slug }) : { ...person, role }
})
