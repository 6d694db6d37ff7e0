/**
 * Takes an account's database away from every process while the account moves to another server: it is renamed, so that
 * no process of any release can open it, and nothing is written to it any more.
 */
import { Data, Effect, Schedule } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { endAbandoned } from "./AbandonedStatements.ts"
import { sqlState } from "./SqlState.ts"

/** Sessions of others keep the database from being renamed. */
export class DatabaseInUse extends Data.TaggedError("DatabaseInUse")<{
  readonly database: string
  readonly sessions: ReadonlyArray<string>
}> {
  override get message() {
    return `Other sessions use the database ${this.database}, and Parley may not end them: ${this.sessions.join(", ")}. A backup or a report may run; try again later.`
  }
}

/** The name of an account's database while it is set aside. */
export const asideOf = (database: string): string => `parley_moving_${database.slice(-16)}`

/**
 * How often the renaming is tried. Each time, PostgreSQL waits up to five seconds for other sessions to end before it
 * refuses.
 */
const tries = 5

const exists = (admin: SqlClient.SqlClient, database: string) =>
  Effect.map(admin`select from pg_database where datname = ${database}`, (rows) => rows.length > 0)

/**
 * Ends the sessions of the account's role and of Parley's own role in the database. Parley's role may end sessions of
 * the account's role only as a member of it.
 */
const endSessions = Effect.fnUntraced(function* (admin: SqlClient.SqlClient, database: string) {
  const [role] = yield* admin`select from pg_roles where rolname = ${database}`
  if (role !== undefined) yield* admin`grant ${admin(database)} to current_user`
  yield* admin`
    select pg_terminate_backend(a.pid) from pg_stat_activity a
    where a.datname in (${database}, ${asideOf(database)}) and pg_has_role(a.usesysid, 'usage')`
})

const sessionsIn = (admin: SqlClient.SqlClient, database: string) =>
  Effect.map(
    admin<{ says: string }>`
      select format('%s (%s)', usename, coalesce(nullif(application_name, ''), 'without a name')) as says
      from pg_stat_activity where datname = ${database} order by 1 limit 5`,
    (rows) => rows.map(({ says }) => says),
  )

/** SQLSTATE 55006: other sessions use the database. */
const isUsed = (error: SqlError.SqlError) => sqlState(error) === "55006"

const rename = Effect.fnUntraced(function* (admin: SqlClient.SqlClient, database: string, from: string, to: string) {
  yield* endAbandoned(admin, database)
  if (!(yield* exists(admin, from))) return
  yield* endSessions(admin, database).pipe(
    Effect.andThen(admin`alter database ${admin(from)} rename to ${admin(to)}`),
    Effect.retry({ times: tries - 1, while: isUsed, schedule: Schedule.spaced("100 millis") }),
    Effect.catch((error) =>
      isUsed(error)
        ? Effect.flatMap(sessionsIn(admin, from), (sessions) =>
            Effect.fail<DatabaseInUse | SqlError.SqlError>(new DatabaseInUse({ database: from, sessions })),
          )
        : Effect.fail<DatabaseInUse | SqlError.SqlError>(error),
    ),
  )
})

/** Sets the database aside, and ends the sessions in it. Idempotent. */
export const setAside = (admin: SqlClient.SqlClient, database: string) =>
  rename(admin, database, database, asideOf(database))

/** Gives the database its name back. Idempotent. */
export const putBack = (admin: SqlClient.SqlClient, database: string) =>
  rename(admin, database, asideOf(database), database)

/** Drops the database that was set aside, and the account's role. Idempotent. */
export const dropAside = Effect.fnUntraced(function* (admin: SqlClient.SqlClient, database: string) {
  const [role] = yield* admin`select from pg_roles where rolname = ${database}`
  if (role !== undefined) yield* admin`grant ${admin(database)} to current_user`
  yield* admin`drop database if exists ${admin(asideOf(database))} with (force)`
  yield* admin`drop role if exists ${admin(database)}`
})
