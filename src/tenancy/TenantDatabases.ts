/**
 * The open databases of accounts: one pool an account, opened on first use, closed when idle, and never so many that
 * the server's connections run out. Where an account's database is, AccountDirectory knows.
 */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Config, Context, Effect, Exit, Layer, LayerMap, Metric, RcMap, Scope, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import { AccountUnavailable } from "../domain/Account.ts"
import { AccountDirectory, type AccountEntry } from "./AccountDirectory.ts"
import { CurrentTenant } from "./CurrentTenant.ts"
import { DatabaseServer, pool } from "./DatabaseServer.ts"
import * as Migrations from "./Migrations.ts"

/** Connections one account may hold. Reads are multiplexed, so these are transactions at the same moment. */
const connectionsOfAccount = 4

const openPools = Metric.gauge("parley_database_pools_open", {
  description: "Accounts whose database this process holds open.",
})

/** What a request, a dialler or a test gets: the tenant's database and whose it is. */
export type Tenant = CurrentTenant | SqlClient.SqlClient | PgClient.PgClient

export interface Loan {
  readonly services: Context.Context<SqlClient.SqlClient | PgClient.PgClient>
  /** Ends the loan, if its scope has not yet. */
  readonly giveBack: Effect.Effect<void>
}

/** Who is using a pool. While somebody is, it is theirs together, and one more costs a number. */
interface Use {
  count: number
  lastUsed: number
  isOpen: boolean
  services: Loan["services"] | undefined
  /** What the first of them hold, until the last of them goes. */
  readonly held: Array<Scope.Closeable>
}

export class TenantDatabases extends Context.Service<
  TenantDatabases,
  {
    /** The account's services, held until the scope closes. */
    readonly open: (entry: AccountEntry) => Effect.Effect<Context.Context<Tenant>, AccountUnavailable, Scope.Scope>
    /** The same, for who may be done with them before. */
    readonly borrow: (entry: AccountEntry) => Effect.Effect<Loan, AccountUnavailable, Scope.Scope>
    /** Closes the account's pool, whoever uses it: before its database is dropped. */
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
      /** Who is using which pool, and who waits for a place; both only decide which idle pool gives way. */
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

      /** With every place taken, the pool that nobody has used for longest gives way. */
      const makeRoom = Effect.gen(function* () {
        const open = [...(yield* RcMap.keys(pools.rcMap))]
        if (open.length < places) return
        const idle = open.filter((slug) => (uses.get(slug)?.count ?? 0) === 0)
        const oldest = idle.sort((a, b) => (uses.get(a)?.lastUsed ?? 0) - (uses.get(b)?.lastUsed ?? 0))[0]
        if (oldest !== undefined) yield* pools.invalidate(oldest)
      })

      /** The last one to go lets a waiter in. */
      const leave = Effect.fnUntraced(function* (slug: string, use: Use) {
        use.lastUsed = yield* Clock.currentTimeMillis
        if (--use.count > 0) return
        use.services = undefined
        for (const scope of use.held.splice(0)) yield* Scope.close(scope, Exit.void)
        uses.delete(slug)
        if (waiting > 0) yield* pools.invalidate(slug)
        else uses.set(slug, use)
      })

      /** Counts a user of the pool until the scope closes, or until they leave before. */
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

      /** Waits for a place and a connection; a time limit costs a fiber, so a pool that is open goes without. */
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
