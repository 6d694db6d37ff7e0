/** Authentication and membership as decisions §3 describes them, without HTTP. The edge runs the steps in order. */
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { AccountElsewhere, type AccountNotFound } from "../domain/Account.ts"
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
import { Cell, cellOf } from "../tenancy/Cell.ts"
import * as ApiKeys from "./ApiKeys.ts"
import { Memberships } from "./Memberships.ts"
import { OidcVerifier } from "./OidcVerifier.ts"

export class Authenticator extends Context.Service<
  Authenticator,
  {
    /** Reads the text after `Bearer `. No account's database is queried. */
    readonly identify: (bearer: string) => Effect.Effect<Identified, Unauthenticated | IssuerUnreachable>
    /**
     * Finds the account that a request names. For an API key an unknown account is a 401, because only the account's
     * database could verify the key.
     */
    readonly locate: (
      identified: Identified,
      slug: string,
    ) => Effect.Effect<AccountEntry, AccountNotFound | Unauthenticated>
    /**
     * Fails if another cell serves the account. A member gets that cell's name. An API key gets the answer of an
     * unknown key, because only the account's database could verify it.
     */
    readonly refuseElsewhere: (
      identified: Identified,
      entry: AccountEntry,
    ) => Effect.Effect<void, Unauthenticated | NotAMember | AccountSuspended | AccountElsewhere>
    /**
     * Verifies the membership, or the API key, in the account whose database is the fiber's `SqlClient`, and returns
     * the principal with its role or scopes. Fails if the account is suspended.
     */
    readonly admit: (
      identified: Identified,
      entry: AccountEntry,
    ) => Effect.Effect<Principal, Unauthenticated | NotAMember | AccountSuspended, SqlClient.SqlClient>
    /** Succeeds only for a platform administrator. */
    readonly administrator: (identified: Identified) => Effect.Effect<Identity, AdminRequired>
  }
>()("identity/Authenticator") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const directory = yield* AccountDirectory
      const cell = yield* Cell
      const { roleOf } = yield* Memberships
      const { verify } = yield* OidcVerifier

      const identify = (bearer: string): Effect.Effect<Identified, Unauthenticated | IssuerUnreachable> =>
        ApiKeys.isApiKey(bearer) ? Effect.fromResult(ApiKeys.parse(bearer)) : verify(bearer)

      const locate = (identified: Identified, slug: string) =>
        directory
          .find(slug)
          .pipe(Effect.mapError((unknown) => (identified._tag === "ApiKey" ? ApiKeys.unknownKey(cell.name) : unknown)))

      const personIn = Effect.fnUntraced(function* (identity: Identity, { account: { slug }, id }: AccountEntry) {
        const role = yield* roleOf(identity, { id, slug })
        if (role === undefined) return yield* new NotAMember({ slug })
        const { claimed: _, ...person } = identity
        return { ...person, role }
      })

      const admit = Effect.fnUntraced(function* (identified: Identified, entry: AccountEntry) {
        const { slug, status } = entry.account
        const principal = yield* identified._tag === "ApiKey"
          ? ApiKeys.authenticate(identified, cell.name)
          : personIn(identified, entry)
        if (status === "suspended") return yield* new AccountSuspended({ slug })
        return principal
      })

      const misdirected = Effect.fnUntraced(function* (identified: Identified, entry: AccountEntry) {
        if (identified._tag === "ApiKey") return yield* ApiKeys.unknownKey(cell.name)
        const { slug, status } = entry.account
        yield* personIn(identified, entry)
        if (status === "suspended") return yield* new AccountSuspended({ slug })
        return yield* new AccountElsewhere({ slug, cell: cellOf(entry.server) })
      })
      const refuseElsewhere = (identified: Identified, entry: AccountEntry) =>
        cell.serves(entry.server) ? Effect.void : misdirected(identified, entry)

      const administrator = (identified: Identified) =>
        identified._tag === "Person" && identified.admin
          ? Effect.succeed(identified)
          : Effect.fail(new AdminRequired({ missing: "role" }))

      return { identify, locate, refuseElsewhere, admit, administrator }
    }),
  )
}
