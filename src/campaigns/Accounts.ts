/** Opens an account's database for work that no request has asked for: diallers, schedules, watchers, recovery. */
import { Context, Effect, Layer, type Option } from "effect"
import type { AccountSlug } from "../domain/Account.ts"
import { AccountDirectory, type AccountEntry } from "../tenancy/AccountDirectory.ts"
import { type Tenant, TenantDatabases } from "../tenancy/TenantDatabases.ts"

export class Accounts extends Context.Service<
  Accounts,
  {
    /** The account as it is now; none if it was deleted, or if another cell serves it. */
    readonly find: (account: AccountSlug) => Effect.Effect<Option.Option<AccountEntry>>
    /** The accounts that this process serves. */
    readonly slugs: Effect.Effect<ReadonlyArray<AccountSlug>>
    /** Runs `self` in the account's database, and releases it at once: there are more accounts than connections. */
    readonly within: (
      entry: AccountEntry,
    ) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<R, Tenant>>
  }
>()("campaigns/Accounts") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const directory = yield* AccountDirectory
      const tenants = yield* TenantDatabases
      return {
        find: (account) => directory.findServed(account),
        slugs: directory.slugsServed,
        within:
          (entry) =>
          <A, E, R>(self: Effect.Effect<A, E, R>) =>
            Effect.scoped(
              Effect.flatMap(Effect.orDie(tenants.open(entry)), (tenant) => Effect.provideContext(self, tenant)),
            ) as Effect.Effect<A, E, Exclude<R, Tenant>>,
      }
    }),
  )
}
