/**
 * The databases of accounts, as the server's owner handles them: creates, migrates and drops them, and runs the
 * statements that an account's own role may not run. A new database is a clone of a migrated template (about 55 ms),
 * with a login role that may connect only to it.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Account } from "../domain/Account.ts"
import { type Login, ownersPool, readersPool, type Server } from "./DatabaseServer.ts"
import { DatabaseServers } from "./DatabaseServers.ts"
import { endAbandoned } from "./AbandonedStatements.ts"
import { json } from "./Json.ts"
import * as Migrations from "./Migrations.ts"
import { OnlyExisting } from "./OnlyExisting.ts"
import { Shipped } from "./Shipped.ts"
import { sqlState } from "./SqlState.ts"
import * as Templates from "./Templates.ts"
import { transaction } from "./Transaction.ts"

type Caps = Pick<
  Account,
  | "concurrent_max"
  | "calls_per_minute"
  | "calls_per_day"
  | "daily_spend_cap"
  | "time_zone"
  | "calling_window"
  | "consent_days"
>

interface Filling<E> {
  readonly schemaVersion: number
  readonly fill: Effect.Effect<void, E, SqlClient.SqlClient>
  readonly check: Effect.Effect<void, E, SqlClient.SqlClient>
}

/** The databases of the accounts on one server. */
export interface Databases {
  /** Creates the login role, and a database of the same name from the template. */
  readonly create: (login: Login) => Effect.Effect<void, SqlError.SqlError>
  /**
   * Creates the database with the schema `schemaVersion` and without the shipped rows. `fill` then writes rows. If
   * the schema is not the newest, it is migrated, and the shipped rows are written. Finally `check` verifies the
   * rows. `fill` and `check` run as the server's owner.
   */
  readonly createFilled: <E>(
    login: Login,
    filling: Filling<E>,
  ) => Effect.Effect<void, E | Effect.Error<ReturnType<typeof Migrations.attempt>>>
  /**
   * Gives an existing database its role and its privileges again: a restore from a backup brings neither. Idempotent.
   */
  readonly restoreAccess: (login: Login) => Effect.Effect<void, SqlError.SqlError>
  /** Drops the database, even while it is in use, and its role. Idempotent. */
  readonly drop: (database: string) => Effect.Effect<void, SqlError.SqlError>
  /**
   * Tries once to migrate the database to the newest schema, and writes the shipped rows and the account's caps.
   * `again`: an earlier try gave way to another session.
   */
  readonly migrate: (
    database: string,
    caps: Caps,
    options: { readonly again: boolean },
  ) => Effect.Effect<void, Effect.Error<ReturnType<typeof Migrations.attempt>>>
  /** Copies the caps into the account's own database, where dialling reads them. */
  readonly copyCaps: (database: string, caps: Caps) => Effect.Effect<void, SqlError.SqlError>
  /**
   * Closes the account's budget for good, so that no call and no campaign begins in it any more. Returns false, and
   * changes nothing, if one runs. A database that is missing counts as closed. Idempotent.
   */
  readonly close: (database: string) => Effect.Effect<boolean, SqlError.SqlError>
}

export class AccountDatabases extends Context.Service<
  AccountDatabases,
  {
    /** The databases on the server of that name; null for the platform's own. Fails if there is no such server. */
    readonly on: (server: string | null) => Effect.Effect<Databases, SqlError.SqlError>
  }
>()("tenancy/AccountDatabases") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const servers = yield* DatabaseServers
      const shipped = yield* Shipped
      const own = yield* servers.find(null)
      // A serving process creates the template at boot, so that a server on which this fails is noticed at once.
      if (!(yield* OnlyExisting)) yield* prepareTemplate(own, shipped)
      return {
        on: Effect.fnUntraced(function* (name: string | null) {
          return makeDatabases(yield* servers.find(name), shipped)
        }),
      }
    }),
  )
}

type ShippedRows = typeof Shipped.Service

const writeNewest = ({ write }: ShippedRows) => Effect.andThen(Migrations.run("tenant"), write)

const templatesOn = (server: Server, shipped: ShippedRows) =>
  Templates.make(server.maintenance, (database) => runnerAsOwner(server)(database, writeNewest(shipped))).pipe(
    Effect.provideService(Shipped, shipped),
  )

/** Creates the newest template and drops old ones. */
const prepareTemplate = (server: Server, shipped: ShippedRows) =>
  exclusively(
    server,
    Effect.flatMap(templatesOn(server, shipped), ({ dropOld, ensure }) => Effect.andThen(ensure, dropOld)),
  )

const makeDatabases = (server: Server, shipped: ShippedRows): Databases => {
  const admin = server.maintenance
  const asOwner = runnerAsOwner(server)
  /**
   * Returns the template's name. Creates the template if the server has none yet, or if it was dropped while this
   * process ran.
   */
  const template = Effect.gen(function* () {
    const { exists, name } = yield* templatesOn(server, shipped)
    if (!(yield* exists)) yield* prepareTemplate(server, shipped)
    return name
  }).pipe(Effect.orDie)

  return {
    create: Effect.fnUntraced(function* (login: Login) {
      const source = yield* template
      yield* writeRole(admin, login)
      // The default strategy, WAL_LOG, takes 55 ms. FILE_COPY takes 300 ms, and also forces two checkpoints.
      yield* admin`create database ${admin(login.role)} template ${admin(source)}`
      yield* closeToOthers(admin, login.role)
    }),
    createFilled: Effect.fnUntraced(function* <E>(login: Login, { check, fill, schemaVersion }: Filling<E>) {
      // Ensures that the group role `parley_tenant` exists, which is created with the template.
      yield* template
      yield* writeRole(admin, login)
      yield* admin`create database ${admin(login.role)} template template0`
      yield* closeToOthers(admin, login.role)
      const upgrade = schemaVersion < Migrations.newestOfTenant ? writeNewest(shipped) : Effect.void
      const steps = [Migrations.run("tenant", schemaVersion), fill, upgrade, check]
      yield* asOwner(login.role, Effect.all(steps, { discard: true }))
    }),
    restoreAccess: Effect.fnUntraced(function* (login: Login) {
      yield* template
      yield* writeRole(admin, login)
      yield* closeToOthers(admin, login.role)
      yield* asOwner(login.role, grantTables)
    }),
    drop: (database) => drop(admin, database),
    migrate: (database, caps, options) =>
      asOwner(
        database,
        Effect.all([Migrations.attempt("tenant", options), shipped.write, writeCaps(caps)], { discard: true }),
      ),
    copyCaps: (database, caps) => asOwner(database, writeCaps(caps)),
    close: (database) =>
      asOwner(database, transaction(closeBudget)).pipe(
        Effect.catchTag("SqlError", (error): Effect.Effect<boolean, SqlError.SqlError> => {
          const state = sqlState(error) ?? ""
          if (missing.has(state)) return Effect.succeed(true)
          if (state === held) return Effect.succeed(false)
          // The account's migration has failed so far, so no process of this release serves it.
          if (state === withoutColumn) return Effect.map(busyIn(server, database), (busy) => !busy)
          return error
        }),
      ),
  }
}

const writeRole = Effect.fnUntraced(function* (admin: SqlClient.SqlClient, { password, role: name }: Login) {
  const [found] = yield* admin`select from pg_roles where rolname = ${name}`
  // Neither statement takes parameters; the password is base64url that is derived here.
  yield* admin.unsafe(`${found === undefined ? "create" : "alter"} role "${name}" login password '${password}'`)
  yield* admin`grant parley_tenant to ${admin(name)}`
})

const closeToOthers = Effect.fnUntraced(function* (admin: SqlClient.SqlClient, name: string) {
  yield* admin`revoke connect, temporary on database ${admin(name)} from public`
  yield* admin`grant connect on database ${admin(name)} to ${admin(name)}`
})

const drop = Effect.fnUntraced(function* (admin: SqlClient.SqlClient, name: string) {
  const [role] = yield* admin`select from pg_roles where rolname = ${name}`
  // Only a member of the role, or a superuser, may terminate its sessions, and other processes may have some open.
  if (role !== undefined) yield* admin`grant ${admin(name)} to current_user`
  yield* endAbandoned(admin, name)
  yield* admin`drop database if exists ${admin(name)} with (force)`
  yield* admin`drop role if exists ${admin(name)}`
})

/** Runs `self` inside an account's database as the server's owner. */
const runnerAsOwner =
  ({ urlOf }: Server) =>
  <A, E>(database: string, self: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    self.pipe(
      Effect.provide(ownersPool({ url: urlOf(database), name: `parley:owner:${database}`, maxConnections: 1 }), {
        local: true,
      }),
    )

/**
 * Runs `self` under a lock of the whole server: the templates and the group role belong to the server, and several
 * processes may boot at once. An advisory lock is valid in one database only, so it is taken in `postgres`, which all
 * Parleys of the server share.
 */
const exclusively = <A, E, R>(server: Server, self: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const lock = yield* Layer.build(
        ownersPool({ url: server.urlOf("postgres"), name: "parley:lock", maxConnections: 1 }),
      ).pipe(Effect.map(Context.get(SqlClient.SqlClient)))
      const taken = lock`select pg_advisory_xact_lock(hashtext('parley-provisioning'))`
      return yield* lock.withTransaction(Effect.andThen(taken, self))
    }),
  )

/**
 * Grants what the migrations grant (the first lines of `0001_baseline.sql`): access to every table except the two that
 * record the schema, to the audit log and the seals of receipts without UPDATE and DELETE, and to consents and receipts
 * without DELETE. The default privileges cover tables that `pg_restore` has yet to create.
 */
const grantTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    do $grants$ begin
      grant select, insert, update, delete on all tables in schema public to parley_tenant;
      grant usage, select on all sequences in schema public to parley_tenant;
      alter default privileges in schema public grant select, insert, update, delete on tables to parley_tenant;
      alter default privileges in schema public grant usage, select on sequences to parley_tenant;
      if to_regclass('schema_migrations') is not null then
        revoke all on schema_migrations, schema_functions from parley_tenant;
      end if;
      if to_regclass('audit_entries') is not null then
        revoke update, delete on audit_entries from parley_tenant;
      end if;
      if to_regclass('consents') is not null then
        revoke delete on consents from parley_tenant;
      end if;
      if to_regclass('receipts') is not null then
        revoke update, delete on receipt_seals, rule_contents from parley_tenant;
        revoke delete on receipts from parley_tenant;
      end if;
    end $grants$`)
})

const writeCaps = Effect.fnUntraced(function* (caps: Caps) {
  const sql = yield* SqlClient.SqlClient
  // The date may differ in the new zone, and a new date would start the count at zero. Moving `day` along keeps today's
  // calls counted.
  yield* sql`
    update budget set
      day = case when day = (clock_timestamp() at time zone time_zone)::date
                 then (clock_timestamp() at time zone ${caps.time_zone})::date else day end,
      concurrent_max = ${caps.concurrent_max}, calls_per_minute = ${caps.calls_per_minute},
      calls_per_day = ${caps.calls_per_day}, daily_spend_cap = ${caps.daily_spend_cap}::numeric,
      time_zone = ${caps.time_zone},
      calling_window = ${json(caps.calling_window)}, consent_days = ${caps.consent_days}`
})

/** SQLSTATE: the database (3D000) or a table (42P01) does not exist. */
const missing = new Set(["3D000", "42P01"])
/** SQLSTATE: a lock was not available in time. */
const held = "55P03"
/** SQLSTATE: the schema is older than the column. */
const withoutColumn = "42703"

const closeBudget = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`set local lock_timeout = '5s'`
  yield* sql`select from budget for update`
  // A statement of its own: it sees what was committed during the wait for the lock.
  if (yield* readBusy) return false
  yield* sql`update budget set closed_at = coalesce(closed_at, clock_timestamp())`
  return true
})

/** Opens a read-only connection to an account's database until the scope closes. */
export const readerOf = ({ urlOf }: Server, database: string) =>
  Layer.build(readersPool({ url: urlOf(database), name: `parley:reader:${database}`, maxConnections: 1 })).pipe(
    Effect.map(Context.get(SqlClient.SqlClient)),
  )

/**
 * Whether the account's database has these caps. It has others if a process was killed after it changed the directory
 * and before it copied the caps.
 */
export const hasCaps = Effect.fnUntraced(function* (
  server: Server,
  database: string,
  { calling_window, ...caps }: Caps,
) {
  const sql = yield* readerOf(server, database)
  const [found] = yield* sql`
    select from budget
    where concurrent_max = ${caps.concurrent_max} and calls_per_minute = ${caps.calls_per_minute}
      and calls_per_day = ${caps.calls_per_day} and time_zone = ${caps.time_zone}
      and daily_spend_cap is not distinct from ${caps.daily_spend_cap}::numeric
      and consent_days is not distinct from ${caps.consent_days}::integer
      and calling_window is not distinct from ${json(calling_window)}::jsonb`
  return found !== undefined
}, Effect.scoped)

const readBusy = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [busy] = yield* sql`
    select exists (select from campaigns where status = 'running')
        or exists (select from live_calls) as busy`
  return busy?.["busy"] === true
})

/** Whether a call is live in the account's database, or may begin at any moment. Writes nothing. */
export const busyIn = Effect.fnUntraced(function* (server: Server, database: string) {
  return yield* Effect.provideService(readBusy, SqlClient.SqlClient, yield* readerOf(server, database))
}, Effect.scoped)
