/**
 * Detects that a registered server, or databases on it, were restored from a backup, and pauses the accounts there, as
 * `RestoredCopies` does for the platform's own server (decision 0044). A server that does not answer is asked again at
 * the next check: its accounts cannot dial meanwhile. A process of a cell asks the cell's server alone.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountDirectory } from "./AccountDirectory.ts"
import { Cell } from "./Cell.ts"
import { DatabaseServers } from "./DatabaseServers.ts"
import { type Noted, reportPaused } from "./PausedAccounts.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"
import * as Rows from "./Rows.ts"

const Known = Schema.Struct({
  name: Schema.String,
  system_identifier: Schema.NullOr(Schema.String),
  timeline: Schema.NullOr(Schema.String),
})
type Known = typeof Known.Type

const Identity = Schema.Struct({ system_identifier: Schema.String, timeline: Schema.String })
type Identity = typeof Identity.Type

const Oid = Schema.Struct({ database: Schema.String, oid: Schema.Finite })

/** Some managed servers refuse these functions: restored copies are then recognised only by the OIDs of databases. */
export const identityOf = (sql: SqlClient.SqlClient): Effect.Effect<Identity | undefined> =>
  Rows.one(Identity)(sql`
    select system_identifier::text, left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline
    from pg_control_system()`).pipe(Effect.orElseSucceed(() => undefined))

/**
 * `hasOtherProcess`: whether another process of the installation runs that checks the server. It has then outlived a
 * change of the timeline.
 */
export const make = Effect.fnUntraced(function* <E>(
  hasOtherProcess: (server: string) => Effect.Effect<boolean, E>,
  directory: AccountDirectory["Service"],
) {
  const sql = yield* PlatformDatabase
  const servers = yield* DatabaseServers
  const cell = yield* Cell
  const known = Rows.all(Known)(sql`select name, system_identifier, timeline from database_servers order by name`).pipe(
    Effect.map((all) => all.filter(({ name }) => cell.serves(name))),
  )

  /** The servers that this process has checked before. The first check of a server is like a boot. */
  const seen = new Set<string>()
  /**
   * A new timeline means an earlier state of the server if no process was connected during the change, and otherwise a
   * promotion.
   */
  const isCopy = Effect.fnUntraced(function* (is: Identity | undefined, was: Known) {
    if (is === undefined || was.system_identifier === null) return false
    if (is.system_identifier !== was.system_identifier) return true
    return !seen.has(was.name) && is.timeline !== was.timeline && !(yield* hasOtherProcess(was.name))
  })

  /** The databases on the server with their OIDs, and whether the whole server is a copy. */
  const readOne = Effect.fnUntraced(function* (was: Known) {
    const { maintenance } = yield* servers.find(was.name)
    const is = yield* identityOf(maintenance)
    const names = yield* sql<{ database: string }>`select database from accounts where server = ${was.name}`
    const oids = yield* Rows.all(Oid)(maintenance`
      select datname::text as database, oid::int8::float8 as oid from pg_database
      where datname = any(${names.map(({ database }) => database)})`)
    return { is, isWhole: yield* isCopy(is, was), oids: JSON.stringify(oids) }
  })

  const checkServer = Effect.fnUntraced(function* (was: Known) {
    const { is, isWhole, oids } = yield* readOne(was)
    const noted = yield* pauseOn(sql, was.name, oids, isWhole)
    if (is !== undefined && (is.system_identifier !== was.system_identifier || is.timeline !== was.timeline)) {
      yield* sql`
        update database_servers set ${sql.update({ system_identifier: is.system_identifier, timeline: is.timeline })}
        where name = ${was.name}`
    }
    seen.add(was.name)
    yield* reportPaused(noted, directory)
  })

  const pausableOn = Effect.fnUntraced(function* (was: Known) {
    const { isWhole, oids } = yield* readOne(was)
    return yield* sql<{ slug: string }>`
      select a.slug from accounts a join ${found(sql, oids)} on a.database = f.database
      where a.server = ${was.name} and a.status = 'active' and a.moving is distinct from 'away' and ${differs(sql, isWhole)}`
  })

  const forEachServer = makeForEach(servers, Effect.orDie(known))

  return {
    /** Checks all servers. The first check of a server also compares its timeline. */
    check: Effect.asVoid(forEachServer(checkServer)),
    pausable: Effect.map(forEachServer(pausableOn), (found) =>
      found.flatMap((rows) => rows ?? []).map(({ slug }) => slug),
    ),
  }
})

const differs = (sql: SqlClient.SqlClient, isWhole: boolean) => sql`(${isWhole} or a.database_oid <> f.oid)`
const found = (sql: SqlClient.SqlClient, oids: string) =>
  sql`json_to_recordset(${oids}::json) as f(database text, oid oid)`

/** Records the OIDs, and pauses the accounts whose databases have another OID than before. Returns these accounts. */
const pauseOn = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, server: string, oids: string, isWhole: boolean) {
  // A database that is seen for the first time need not be a copy, so its OID is only recorded.
  yield* sql`
    update accounts a set database_oid = f.oid from ${found(sql, oids)}
    where a.server = ${server} and a.database = f.database and a.database_oid is null and not ${isWhole}`
  return yield* sql<Noted>`
    update accounts a set database_oid = f.oid, revision = revision + 1, updated_at = now(),
      status = case when status = 'active' then 'restored' else status end
    from ${found(sql, oids)}
    where a.server = ${server} and a.database = f.database and a.moving is distinct from 'away'
      and ${differs(sql, isWhole)}
    returning slug, status = 'restored' as is_paused`
})

/** Runs `ask` for all servers at once. Undefined for one that does not answer. */
const makeForEach =
  (servers: DatabaseServers["Service"], known: Effect.Effect<ReadonlyArray<Known>>) =>
  <A, E, R>(ask: (was: Known) => Effect.Effect<A, E, R>) =>
    Effect.flatMap(known, (all) => Effect.forEach(all, (was) => askOne(servers, was.name, ask(was)), atOnce))

const atOnce = { concurrency: "unbounded" } as const

const askOne = <A, E, R>(servers: DatabaseServers["Service"], name: string, asking: Effect.Effect<A, E, R>) =>
  asking.pipe(
    Effect.timeout("10 seconds"),
    Effect.tap(() => servers.note(name, true)),
    Effect.map((value): A | undefined => value),
    Effect.catchCause((cause) =>
      Effect.logWarning(
        "a registered PostgreSQL server did not answer; its accounts are unavailable until it does",
        cause,
      ).pipe(Effect.annotateLogs({ server: name }), Effect.andThen(servers.note(name, false)), Effect.as(undefined)),
    ),
  )
