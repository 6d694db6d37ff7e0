/**
 * The open databases of accounts: one pool an account, opened on first use, closed when idle, and never more than the
 * server's connections allow. AccountDirectory knows where an account's database is.
 */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Config, Context, Effect, Exit, Layer, LayerMap, Metric, RcMap, Scope, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import { AccountUnavailable } from "../domain/Account.ts"
import { AccountDirectory, type AccountEntry } from "./AccountDirectory.ts"
import { CurrentTenant } from "./CurrentTenant.ts"
import { DatabaseServer, pool } from "./DatabaseServer.ts"
import * as Migrations from "./Migrations.ts"

/** Connections that one account may hold. Reads are multiplexed, so this is the number of simultaneous transactions. */
const connectionsOfAccount = 4

const openPools = Metric.gauge("parley_database_pools_open", {
  description: "Accounts whose database this process holds open.",
})

/** The services of an open account: its database and its identity. */
export type Tenant = CurrentTenant | SqlClient.SqlClient | PgClient.PgClient

export interface Loan {
  readonly services: Context.Context<SqlClient.SqlClient | PgClient.PgClient>
  /** Ends the loan before its scope does. */
  readonly giveBack: Effect.Effect<void>
}

/**
 * The borrowers of one pool. Reference-counted: they share the pool, and another borrower only increments the count.
 */
interface Use {
  count: number
  lastUsed: number
  isOpen: boolean
  services: Loan["services"] | undefined
  /** The scopes that keep the pool open; the last borrower closes them. */
  readonly held: Array<Scope.Closeable>
}

export class TenantDatabases extends Context.Service<
  TenantDatabases,
  {
    /** The account's services, held until the scope closes. */
    readonly open: (entry: AccountEntry) => Effect.Effect<Context.Context<Tenant>, AccountUnavailable, Scope.Scope>
    /** Like `open`, for a borrower that may be done before its scope closes. */
    readonly borrow: (entry: AccountEntry) => Effect.Effect<Loan, AccountUnavailable, Scope.Scope>
    /** Closes the account's pool even while it is borrowed: before its database is dropped. */
    readonly close: (slug: string) => Effect.Effect<void>
  }
>()("tenancy/TenantDatabases") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const server = yield* DatabaseServer
      const directory = yield* AccountDirectory
      const all = yield* Config.Int("DATABASE_MAX_CONNECTIONS").pipe(Config.withDefault(80))
      const places = Math.max(1, Math.floor(all / connectionsOfAccount))
      const place = yield* Semaphore.make(places)
      /**
       * The borrowers of each pool, and the fibers that wait for a place; they decide only which idle pool is evicted.
       */
      const uses = new Map<string, Use>()
      let waiting = 0

      /** `Layer.fresh`: layers are memoized by identity, and one built for an account must never serve another. */
      const lookup = (slug: string) =>
        Layer.fresh(
          Layer.unwrap(
            Effect.gen(function* () {
              // Held while the pool is open: no place, no pool.
              yield* Effect.acquireRelease(Effect.andThen(place.take(1), Metric.modify(openPools, 1)), () =>
                Effect.andThen(Metric.modify(openPools, -1), place.release(1)),
              )
              const { database, login } = yield* directory.find(slug)
              const name = `parley:${database}`
              return pool({ url: server.urlOf(database, login), name, maxConnections: connectionsOfAccount })
            }),
          ),
        )
      const pools = yield* LayerMap.make(lookup, { idleTimeToLive: "1 minute" })

      /** When every place is taken, evicts the pool that has been idle for longest. */
      const makeRoom = Effect.gen(function* () {
        const open = [...(yield* RcMap.keys(pools.rcMap))]
        if (open.length < places) return
        const idle = open.filter((slug) => (uses.get(slug)?.count ?? 0) === 0)
        const oldest = idle.sort((a, b) => (uses.get(a)?.lastUsed ?? 0) - (uses.get(b)?.lastUsed ?? 0))[0]
        if (oldest !== undefined) yield* pools.invalidate(oldest)
      })

      /** The last borrower to leave lets a waiter in. */
      const leave = Effect.fnUntraced(function* (slug: string, use: Use) {
        use.lastUsed = yield* Clock.currentTimeMillis
        if (--use.count > 0) return
        use.services = undefined
        for (const scope of use.held.splice(0)) yield* Scope.close(scope, Exit.void)
        uses.delete(slug)
        if (waiting > 0) yield* pools.invalidate(slug)
        else uses.set(slug, use)
      })

      /** Counts a borrower until the scope closes or the loan is given back. */
      const join = (slug: string) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const use = uses.get(slug) ?? { count: 0, lastUsed: 0, isOpen: false, services: undefined, held: [] }
            use.count++
            uses.set(slug, use)
            let isGone = false
            const giveBack = Effect.suspend(() => {
              if (isGone) return Effect.void
              isGone = true
              return leave(slug, use)
            })
            return { use, giveBack }
          }),
          ({ giveBack }) => giveBack,
        )

      /**
       * Waits for a place and a connection. A time limit costs a fiber, so opening a pool that is already open has
       * none.
       */
      const openInTime = (slug: string) =>
        Effect.suspend(() => {
          waiting++
          return pools
            .contextEffect(slug)
            .pipe(Effect.timeout("10 seconds"), Effect.ensuring(Effect.sync(() => waiting--)))
        })

      const openFor = Effect.fnUntraced(function* (use: Use, slug: string) {
        if (!(yield* RcMap.has(pools.rcMap, slug))) {
          use.isOpen = false
          yield* makeRoom
        }
        const scope = yield* Scope.make()
        use.held.push(scope)
        const services = yield* (use.isOpen ? pools.contextEffect(slug) : openInTime(slug)).pipe(
          Scope.provide(scope),
          Effect.mapError(() => new AccountUnavailable({ slug })),
        )
        use.isOpen = true
        use.services = services
        return services
      })

      const borrow = Effect.fnUntraced(function* (entry: AccountEntry) {
        const { slug } = entry.account
        if (entry.schemaVersion < Migrations.newestOfTenant) return yield* new AccountUnavailable({ slug })
        const { giveBack, use } = yield* join(slug)
        return { services: use.services ?? (yield* openFor(use, slug)), giveBack }
      })
      const open = (entry: AccountEntry) =>
        Effect.map(borrow(entry), ({ services }) => Context.add(services, CurrentTenant, entry))

      const close = (slug: string) =>
        Effect.suspend(() => {
          const use = uses.get(slug)
          if (use !== undefined) use.services = undefined
          return pools.invalidate(slug)
        })
      return { open, borrow, close }
    }),
  )
}
