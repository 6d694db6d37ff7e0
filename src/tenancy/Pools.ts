/**
 * The connection pools of accounts' databases: opened on first use, closed when idle, and never more than the server's
 * connections allow. When all places are taken, the pool that has been idle for longest is evicted.
 */
import { Context, Effect, Layer, LayerMap, Metric, RcMap, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { AccountDirectory } from "./AccountDirectory.ts"
import { maxConnections } from "./ConnectionBudget.ts"
import { DatabaseServer, pool } from "./DatabaseServer.ts"

/** Connections that one account may hold. Reads are multiplexed, so this is the number of simultaneous transactions. */
const connectionsOfAccount = 4

const openPools = Metric.gauge("parley_database_pools_open", {
  description: "Accounts whose database this process holds open.",
})

/** `findIdle` chooses among open pools the one to evict, if one is idle. */
export const make = Effect.fnUntraced(function* (findIdle: (open: ReadonlyArray<string>) => string | undefined) {
  const all = yield* maxConnections
  const places = Math.max(1, Math.floor(all / connectionsOfAccount))
  const place = yield* Semaphore.make(places)
  const pools = yield* LayerMap.make((slug: string) => poolOf(slug, place), { idleTimeToLive: "1 minute" })
  let waiting = 0
  return {
    isOpen: (slug: string) => RcMap.has(pools.rcMap, slug),
    /** Evicts an idle pool if every place is taken. */
    makeRoom: Effect.gen(function* () {
      const open = [...(yield* RcMap.keys(pools.rcMap))]
      const idle = open.length < places ? undefined : findIdle(open)
      if (idle !== undefined) yield* pools.invalidate(idle)
    }),
    /** The services of the account's pool, which stays open until the scope closes. */
    servicesOf: (slug: string) => pools.contextEffect(slug),
    /**
     * The same for a pool that may have to be opened first: it waits for a place and a connection. The time limit costs
     * a fiber, so `servicesOf` has none.
     */
    open: (slug: string) =>
      Effect.suspend(() => {
        waiting++
        return pools
          .contextEffect(slug)
          .pipe(Effect.timeout("10 seconds"), Effect.ensuring(Effect.sync(() => waiting--)))
      }),
    /** Whether a fiber waits for a place. */
    hasWaiters: () => waiting > 0,
    close: (slug: string) => pools.invalidate(slug),
  }
})

/** `Layer.fresh`: layers are memoized by identity, and one built for an account must never serve another. */
const poolOf = (slug: string, place: Semaphore.Semaphore) =>
  Layer.fresh(
    Layer.unwrap(
      Effect.gen(function* () {
        const server = yield* DatabaseServer
        const directory = yield* AccountDirectory
        // Held while the pool is open: no place, no pool.
        yield* Effect.acquireRelease(Effect.andThen(place.take(1), Metric.modify(openPools, 1)), () =>
          Effect.andThen(Metric.modify(openPools, -1), place.release(1)),
        )
        const { database, login } = yield* directory.find(slug)
        const name = `parley:${database}`
        const opened = pool({ url: server.urlOf(database, login), name, maxConnections: connectionsOfAccount })
        // Connects: so a database that is missing fails here, and not in the first statement of its borrower.
        return Layer.tap(opened, (services) => Context.get(services, SqlClient.SqlClient)`select`)
      }),
    ),
  )
