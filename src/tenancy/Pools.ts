/**
 * The connection pools of accounts' databases: opened on first use, and closed when idle. Together, those of a server
 * have no more connections than it allows (ConnectionPlaces).
 */
import { Cache, Clock, Context, Effect, Layer, LayerMap, Metric, RcMap, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { AccountUnavailable } from "../domain/Account.ts"
import * as Readings from "../telemetry/Readings.ts"
import { AccountDirectory, type AccountEntry } from "./AccountDirectory.ts"
import { maxConnections } from "./ConnectionBudget.ts"
import * as ConnectionPlaces from "./ConnectionPlaces.ts"
import { makePool } from "./DatabaseServer.ts"
import { DatabaseServers, type Whereabouts } from "./DatabaseServers.ts"
import * as PipelinedClient from "./PipelinedClient.ts"

/**
 * The most connections of an account. Statements of many fibers share one; a transaction has one for itself. Most
 * accounts need one at a time.
 */
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

/** An account and its database. */
export interface Place extends Whereabouts {
  readonly slug: string
}

export const placeOf = ({ account: { slug }, database, server }: AccountEntry): Place => ({ slug, server, database })

/**
 * The key of an account's pool. An account that is deleted and created again has the same slug, and perhaps the same
 * id, but another database. A caller that holds the entry of the deleted account must not reach the new database. An
 * account that moved has its database on another server.
 */
export const keyOf = ({ database, server, slug }: Place): string => `${slug} ${database} ${server ?? ""}`

/** The place of a key that `keyOf` made. None of its parts has a space. */
export const placeFrom = (key: string): Place => {
  const [slug = "", database = "", server = ""] = key.split(" ")
  return { slug, database, server: server === "" ? null : server }
}

/** `findIdle` chooses among the keys of open pools the one to evict, if one is idle. */
export const make = Effect.fnUntraced(function* (
  findIdle: (
    open: ReadonlyArray<string>,
  ) => Effect.Effect<{ readonly key: string; readonly usedAt: number } | undefined>,
) {
  let keys: Effect.Effect<Iterable<string>> = Effect.succeed([])
  let evict: (key: string) => Effect.Effect<void> = () => Effect.void
  const findEvictable = (server: string | null) =>
    Effect.gen(function* () {
      const open = yield* keys
      const found = yield* findIdle([...open].filter((key) => placeFrom(key).server === server))
      return found && { usedAt: found.usedAt, close: Effect.suspend(() => evict(found.key)) }
    })
  const max = yield* maxConnections
  const scope = yield* Effect.scope
  // A server that hangs holds its connections. Accounts on other servers must not wait for these.
  const placesOn = yield* Cache.make({
    lookup: (server: string | null) =>
      ConnectionPlaces.make(max, findEvictable(server), server ?? undefined).pipe(Scope.provide(scope)),
    capacity: Number.MAX_SAFE_INTEGER,
  })
  const pools = yield* LayerMap.make(
    (key: string) =>
      Layer.unwrap(Effect.map(Cache.get(placesOn, placeFrom(key).server), (places) => poolOf(key, places))),
    { idleTimeToLive: "1 minute" },
  )
  keys = RcMap.keys(pools.rcMap)
  evict = (key) => pools.invalidate(key)
  let waiting = 0
  yield* Readings.register([
    {
      name: "parley_database_opening",
      description: "Borrowers that wait until an account's database is open.",
      read: () => waiting,
    },
  ])
  return {
    keys: Effect.suspend(() => keys),
    isOpen: (key: string) => RcMap.has(pools.rcMap, key),
    /** The services of the account's pool, which stays open until the scope closes. */
    servicesOf: (key: string) => pools.contextEffect(key),
    /**
     * As `servicesOf`, for a pool that may have to be opened first: it waits for a place and a connection, at most ten
     * seconds. The time limit costs a fiber, so `servicesOf` has none.
     */
    open: (key: string) =>
      Effect.suspend(() => {
        waiting++
        return pools
          .contextEffect(key)
          .pipe(Effect.timeout("10 seconds"), measureWait, Effect.ensuring(Effect.sync(() => waiting--)))
      }),
    close: (key: string) => pools.invalidate(key),
  }
})

/** `Layer.fresh`: layers are memoized by identity, and one built for an account must never serve another. */
const poolOf = (key: string, places: ConnectionPlaces.ConnectionPlaces) =>
  Layer.fresh(
    Layer.unwrap(
      Effect.gen(function* () {
        const servers = yield* DatabaseServers
        const directory = yield* AccountDirectory
        yield* Effect.acquireRelease(Metric.modify(openPools, 1), () => Metric.modify(openPools, -1))
        const { slug } = placeFrom(key)
        const known = yield* directory.find(slug)
        // The directory may remember an account that was created again meanwhile.
        const entry =
          keyOf(placeOf(known)) === key ? known : yield* Effect.andThen(directory.forget(slug), directory.find(slug))
        if (keyOf(placeOf(entry)) !== key) return yield* new AccountUnavailable({ slug })
        const { database, login } = entry
        const name = `parley:${database}`
        const url = yield* servers.urlOf(entry, login)
        const pool = places.join(key, (beforeConnect) =>
          makePool({ url, name, maxConnections: connectionsOfAccount, beforeConnect }),
        )
        // Connects at once, so that a missing database fails here and not in the first statement of its borrower.
        return Layer.tap(PipelinedClient.layer(pool), (services) => Context.get(services, SqlClient.SqlClient)`select`)
      }),
    ),
  )
