/**
 * Compares the connections that this installation's processes may open with those that the PostgreSQL server has, and
 * warns at boot if the server has too few.
 */
import { Config, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { DatabaseServer } from "./DatabaseServer.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"

/** Connections of a process to the accounts' databases, in total. */
export const maxConnections = Config.Int("DATABASE_MAX_CONNECTIONS").pipe(Config.withDefault(80))

/**
 * Connections that a process opens in addition: to the platform's database, for notices, for the heartbeat, and for the
 * owner's work.
 */
const ownConnections = 20

/**
 * Returns the connections that the server has for Parley (`available`), the connected processes (`processes`), and the
 * connections that one process may open (`each`).
 */
export const read = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, platformDatabase: string) {
  const each = (yield* maxConnections) + ownConnections
  const [found] = yield* sql<{ readonly available: number; readonly processes: number }>`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true), '0')::int as available,
      (select count(*)::int from pg_stat_activity
       where datname = ${platformDatabase} and starts_with(application_name, 'parley:node:')) as processes`
  return { each, available: found?.available ?? 0, processes: found?.processes ?? 0 }
})

export const warnIfTooFew = Effect.gen(function* () {
  const { platformDatabase } = yield* DatabaseServer
  const { available, each, ...others } = yield* Effect.orDie(read(yield* PlatformDatabase, platformDatabase))
  const processes = others.processes + 1
  if (each * processes <= available) return
  yield* Effect.logWarning(
    "the PostgreSQL server has too few connections: lower DATABASE_MAX_CONNECTIONS, or raise max_connections",
  ).pipe(Effect.annotateLogs({ available, processes, wanted: each * processes }))
})
