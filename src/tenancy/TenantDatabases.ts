/** Lends the open databases of accounts: the borrowers of an account's database share one pool (Pools). */
import { Clock, Context, Effect, Exit, Layer, Random, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountUnavailable } from "../domain/Account.ts"
import type { AccountEntry } from "./AccountDirectory.ts"
import * as AccountFaults from "./AccountFaults.ts"
import { AccountMigrations } from "./AccountMigrations.ts"
import { Cell } from "./Cell.ts"
import { CurrentTenant } from "./CurrentTenant.ts"
import { DatabaseServers } from "./DatabaseServers.ts"
import * as Pools from "./Pools.ts"
import { PoolUses, type Use } from "./PoolUses.ts"

/** The services of an open account: its database and its identity. */
export type Tenant = CurrentTenant | SqlClient.SqlClient

export interface Loan {
  readonly services: Context.Context<SqlClient.SqlClient>
  /** Ends the loan before its scope does. */
  readonly giveBack: Effect.Effect<void>
}

export class TenantDatabases extends Context.Service<
  TenantDatabases,
  {
    /** The account's services, held until the scope closes. Fails for an account that another cell serves. */
    readonly open: (entry: AccountEntry) => Effect.Effect<Context.Context<Tenant>, AccountUnavailable, Scope.Scope>
    /** Like `open`, for a borrower that may be done before its scope closes. */
    readonly borrow: (entry: AccountEntry) => Effect.Effect<Loan, AccountUnavailable, Scope.Scope>
    /** Closes the account's pool even while it is borrowed: before its database is dropped. */
    readonly close: (place: Pools.Place) => Effect.Effect<void>
    /** The places of the open pools. */
    readonly places: Effect.Effect<ReadonlyArray<Pools.Place>>
    /**
     * Databases that this process could not open at its last try. Some may belong to accounts that were deleted since.
     */
    readonly unopened: () => ReadonlyArray<string>
  }
>()("tenancy/TenantDatabases") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const uses = new PoolUses()
      const { ensureMigrated } = yield* AccountMigrations
      const { silent } = yield* DatabaseServers
      const faults = AccountFaults.make(ensureMigrated, silent, yield* Cell)
      const pools = yield* Pools.make((open) => findIdle(open, uses))

      /**
       * Ends a loan. After the last one, the pool stays open until another account needs its place (ConnectionPlaces)
       * or it has been idle for a minute (Pools).
       */
      const leave = Effect.fnUntraced(function* (use: Use) {
        use.lastUsed = yield* Clock.currentTimeMillis
        if (--use.count > 0) return
        use.services = undefined
        for (const scope of use.held.splice(0)) yield* Scope.close(scope, Exit.void)
      })

      /** Counts a borrower until the scope closes or the loan is given back. */
      const join = (key: string) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const use = uses.join(key)
            return { use, giveBack: once(leave(use)) }
          }),
          ({ giveBack }) => giveBack,
        )

      const openFor = Effect.fnUntraced(function* (use: Use, entry: AccountEntry) {
        const key = Pools.keyOf(Pools.placeOf(entry))
        if (!(yield* pools.isOpen(key))) {
          use.isOpen = false
          uses.forgetClosed(new Set(yield* pools.keys))
        }
        const scope = yield* Scope.make()
        use.held.push(scope)
        const services = yield* (use.isOpen ? pools.servicesOf(key) : pools.open(key)).pipe(
          Scope.provide(scope),
          Effect.catch((error) => faults.refuse(entry, error)),
        )
        faults.clear(entry)
        use.isOpen = true
        use.services = services
        return services
      })

      const borrow = Effect.fnUntraced(function* (entry: AccountEntry) {
        if (!faults.isSound(entry)) yield* faults.check(entry)
        const { giveBack, use } = yield* join(Pools.keyOf(Pools.placeOf(entry)))
        return { services: use.services ?? (yield* openFor(use, entry)), giveBack }
      })
      const close = (key: string) => {
        const use = uses.find(key)
        if (use !== undefined) use.services = undefined
        return pools.close(key)
      }
      return {
        open: (entry) => Effect.map(borrow(entry), ({ services }) => Context.add(services, CurrentTenant, entry)),
        borrow,
        close: (place) => Effect.suspend(() => close(Pools.keyOf(place))),
        places: Effect.map(pools.keys, (keys) => [...keys].map(Pools.placeFrom)),
        unopened: faults.unopened,
      }
    }),
  )
}

/** Returns an effect that runs `effect` once, and does nothing when it is run again. */
const once = <E, R>(effect: Effect.Effect<void, E, R>): Effect.Effect<void, E, R> => {
  let hasRun = false
  return Effect.suspend(() => {
    if (hasRun) return Effect.void
    hasRun = true
    return effect
  })
}

/** Milliseconds without use after which an account counts as quiet. */
const quietAfterMs = 10_000

/**
 * Chooses among the pools without borrowers the one that was used longest ago, if its account is quiet. Otherwise it
 * chooses any: accounts that are all used in turn, such as by pages that read every two seconds, use that one next. With
 * 200 of these on 240 connections, some needing two, that opened 21 sessions a second instead of 1.7.
 */
const findIdle = Effect.fnUntraced(function* (open: ReadonlyArray<string>, uses: PoolUses) {
  const pools = open.map((key) => ({ key, count: uses.find(key)?.count ?? 0, usedAt: uses.find(key)?.lastUsed ?? 0 }))
  const idle = pools.filter(({ count }) => count === 0).toSorted((a, b) => a.usedAt - b.usedAt)
  const [oldest] = idle
  if (oldest === undefined || (yield* Clock.currentTimeMillis) - oldest.usedAt > quietAfterMs) return oldest
  return idle[yield* Random.nextIntBetween(0, idle.length - 1)]
})
