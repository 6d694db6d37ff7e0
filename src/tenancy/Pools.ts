/**
 * The connection pools of accounts' databases: opened on first use, closed when idle, and never more than the server's
 * connections allow. When all places are taken, the pool that has been idle for longest is evicted.
 */
import { Clock, Context, Effect, Layer, LayerMap, Metric, RcMap, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import * as Readings from "../telemetry/Readings.ts"
import { AccountDirectory } from "./AccountDirectory.ts"
import { maxConnections } from "./ConnectionBudget.ts"
import { DatabaseServer, pool } from "./DatabaseServer.ts"

/** Connections that one account may hold. Reads are multiplexed, so this is the number of simultaneous transactions. */
const connectionsOfAccount = 4

const openPools = Metric.gauge("parley_database_pools_open", {
  description: "Accounts whose database this process holds open.",
})

const waits = Metric.histogram("parley_database_open_duration_seconds", {
  description: "How long an account's database took to open: the wait for a place, and the connection.",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
})

const measureWait = <A, E, R>(opening: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Clock.monotonicTimeNanos, (began) =>
    Effect.ensuring(
      opening,
      Effect.flatMap(Clock.monotonicTimeNanos, (ended) => Metric.update(waits, Number(ended - began) / 1e9)),
    ),
  )

/** `findIdle` chooses among open pools the one to evict, if one is idle. */
export const make = Effect.fnUntraced(function* (findIdle: (open: ReadonlyArray<string>) => string | undefined) {
  const all = yield* maxConnections
  const places = Math.max(1, Math.floor(all / connectionsOfAccount))
  const place = yield* Semaphore.make(places)
  const pools = yield* LayerMap.make((slug: string) => poolOf(slug, place), { idleTimeToLive: "1 minute" })
  let waiting = 0
  yield* Readings.register([
    {
      name: "parley_database_pools_max",
      description: "Accounts whose database this process may hold open at the same moment.",
      read: () => places,
    },
    {
      name: "parley_database_opening",
      description: "Borrowers that wait until an account's database is open.",
      read: () => waiting,
    },
  ])
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
          .pipe(Effect.timeout("10 seconds"), measureWait, Effect.ensuring(Effect.sync(() => waiting--)))
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
