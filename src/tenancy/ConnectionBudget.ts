/** A warning at boot if this installation's processes may open more connections than the PostgreSQL server has. */
import { Config, Effect } from "effect"
import { PlatformDatabase } from "./PlatformDatabase.ts"

/** Connections of a process to the accounts' databases, in total. */
export const maxConnections = Config.Int("DATABASE_MAX_CONNECTIONS").pipe(Config.withDefault(80))

/** What a process opens besides: the platform's database, notices, the heartbeat, and the owner's work. */
const besides = 20

export const warnIfTooFew = Effect.gen(function* () {
  const sql = yield* PlatformDatabase
  const each = (yield* maxConnections) + besides
  const [found] = yield* sql<{ readonly available: number; readonly others: number }>`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true), '0')::int as available,
      (select count(*)::int from pg_stat_activity
       where datname = current_database() and starts_with(application_name, 'parley:node:')) as others`.pipe(
    Effect.orDie,
  )
  if (found === undefined) return
  const processes = found.others + 1
  const { available } = found
  if (each * processes <= available) return
  yield* Effect.logWarning(
    "the PostgreSQL server has too few connections: lower DATABASE_MAX_CONNECTIONS, or raise max_connections",
  ).pipe(Effect.annotateLogs({ available, processes, wanted: each * processes }))
})
