/**
 * Finds accounts of this cell whose login role or privileges are missing, as after a restore from a backup, and creates
 * them again. Also revokes CONNECT from PUBLIC on account databases that still grant it.
 */
import { Clock, Context, Effect, Layer, Option, Queue } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { AccountDatabases } from "./AccountDatabases.ts"
import { AccountDirectory, type AccountEntry } from "./AccountDirectory.ts"
import { BackOff } from "./BackOff.ts"
import { Cell } from "./Cell.ts"
import { DatabaseServers } from "./DatabaseServers.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"

/** Accounts that are restored at the same time. Each holds a connection in addition to the pools. */
const atOnce = 8

export class AccountAccess extends Context.Service<
  AccountAccess,
  {
    /**
     * Creates what is missing of each account's role and privileges. If nothing is missing, this costs one query of the
     * server's catalogs.
     */
    readonly restore: Effect.Effect<void>
    /** The ids of the accounts that `restore` would change. */
    readonly missing: Effect.Effect<ReadonlyArray<string>>
    /**
     * A queue of the accounts that `restore` changed. Their databases may be copies that were restored while Parley
     * runs.
     */
    readonly restored: Queue.Dequeue<AccountEntry>
  }
>()("tenancy/AccountAccess") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const directory = yield* AccountDirectory
      const databases = yield* AccountDatabases
      const servers = yield* DatabaseServers
      const cell = yield* Cell
      const pauses = new BackOff(10_000, 600_000)
      const restored = yield* Queue.unbounded<AccountEntry>()

      const onOwnServer = findWithoutAccess(
        sql,
        sql`(select id, slug, database from accounts a where server is null and ${cell.isServed(sql)})`,
      )
      const onOthers = Effect.gen(function* () {
        const accounts = yield* sql<OnServer>`
          select id, slug, database, server from accounts a where server is not null and ${cell.isServed(sql)}`
        const byServer = Map.groupBy(accounts, ({ server }) => server)
        const answering = [...byServer].filter(([name]) => !servers.silent.has(name))
        const found = yield* Effect.forEach(answering, ([name, there]) => findOn(servers, name, there), {
          concurrency: "unbounded",
        })
        return found.flat()
      })
      const withoutAccess = Effect.map(Effect.all([onOwnServer, onOthers]), (found) => found.flat())

      const restoreOne = Effect.fnUntraced(function* (id: string) {
        const entry = yield* directory.findById(id)
        // The role's password is derived from the data key, so the wrong encryption key would give it a wrong password.
        if (Option.isNone(entry) || !entry.value.isReadable) return
        const { account, database, login, server } = entry.value
        const { copyCaps, restoreAccess } = yield* databases.on(server)
        yield* restoreAccess(login)
        yield* copyCaps(database, account)
        yield* Effect.logWarning("the role or the privileges of an account were missing and were made again")
        yield* Queue.offer(restored, entry.value)
      })

      const restore = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const found = (yield* withoutAccess).filter(({ id }) => !pauses.isResting(id, now))
        yield* Effect.forEach(
          found,
          ({ id, slug }) =>
            restoreOne(id).pipe(
              Effect.tap(() => Effect.sync(() => pauses.succeed(id))),
              Effect.catchCause((cause) => {
                pauses.fail(id, now)
                return Effect.logError("the role or the privileges of an account are missing", cause)
              }),
              Effect.annotateLogs({ account: slug }),
            ),
          { concurrency: atOnce, discard: true },
        )
      })

      return {
        restore: Effect.orDie(restore),
        missing: Effect.map(Effect.orDie(withoutAccess), (rows) => rows.map(({ id }) => id)),
        restored,
      }
    }),
  )
}

interface Found {
  readonly id: string
  readonly slug: string
}

interface OnServer extends Found {
  readonly database: string
  readonly server: string
}

/**
 * Finds the accounts without a role or without its privileges. `accounts` is a table expression with the columns `id`,
 * `slug` and `database`.
 */
const findWithoutAccess = (sql: SqlClient.SqlClient, accounts: Statement.Fragment) => sql<Found>`
  select a.id, a.slug from ${accounts} a
  join pg_database d on d.datname = a.database
  left join pg_roles r on r.rolname = a.database
  where r.oid is null or not coalesce(
      pg_has_role(r.oid, (select oid from pg_roles where rolname = 'parley_tenant'), 'member'), false)
    or not has_database_privilege(r.oid, d.oid, 'connect')
    or exists (select from aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) p where p.grantee = 0)`

/** The accounts on one registered server that lack access. None if the server cannot be asked now. */
const findOn = (servers: DatabaseServers["Service"], name: string, accounts: ReadonlyArray<OnServer>) =>
  servers.find(name).pipe(
    Effect.flatMap(({ maintenance: sql }) => {
      const there = JSON.stringify(accounts.map(({ database, id, slug }) => ({ id, slug, database })))
      return findWithoutAccess(
        sql,
        sql`(select * from json_to_recordset(${there}::json) as r(id text, slug text, database text))`,
      )
    }),
    Effect.timeout("10 seconds"),
    Effect.catch((error) =>
      Effect.as(
        Effect.annotateLogs(Effect.logWarning("the roles on a PostgreSQL server could not be checked", error), {
          server: name,
        }),
        [],
      ),
    ),
  )
