/**
 * Makes and drops accounts, and brings their databases to the newest schema. A new account is a clone of a migrated
 * template (some 55 ms) with a login role that may connect to it alone.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { v7 as uuidv7 } from "uuid"
import type { Account, AccountNotFound } from "../domain/Account.ts"
import { InUse, NameTaken } from "../domain/Refusals.ts"
import { AccountDirectory, type AccountEntry, loginOf } from "./AccountDirectory.ts"
import { DatabaseServer, ownersPool } from "./DatabaseServer.ts"
import { json } from "./Json.ts"
import { MasterKey } from "./MasterKey.ts"
import * as Migrations from "./Migrations.ts"
import { keepOpen } from "./OpenTransaction.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"
import { Shipped } from "./Shipped.ts"
import { TenantDatabases } from "./TenantDatabases.ts"

export type NewAccount = Omit<Account, "created_at">

export class Provisioning extends Context.Service<
  Provisioning,
  {
    readonly create: (account: NewAccount) => Effect.Effect<AccountEntry, NameTaken>
    /** Changes settings and copies the caps into the account's own database, where dialling reads them. */
    readonly update: <E>(
      slug: string,
      change: (present: AccountEntry) => Effect.Effect<Account, E>,
    ) => Effect.Effect<AccountEntry, AccountNotFound | E>
    /** Drops the account's database, role and directory row; refused while a call or a campaign of it runs. */
    readonly drop: (slug: string) => Effect.Effect<void, AccountNotFound | InUse>
    /**
     * Migrates every account whose schema is older than the newest. An account that fails answers 503; the others go
     * on.
     */
    readonly migrateAll: Effect.Effect<void>
  }
>()("tenancy/Provisioning") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const server = yield* DatabaseServer
      const platform = yield* PlatformDatabase
      const directory = yield* AccountDirectory
      const tenants = yield* TenantDatabases
      const master = yield* MasterKey
      const admin = server.maintenance
      const shipped = yield* Shipped
      const template = `parley_template_${Migrations.tenantDigest}_${shipped.digest}`
      const newest = Effect.andThen(Migrations.run("tenant"), shipped.write)

      /** Runs `self` inside an account's database as the server's owner: for migrations and the caps' copy. */
      const asOwner = <A, E>(database: string, self: Effect.Effect<A, E, SqlClient.SqlClient>) =>
        self.pipe(
          Effect.provide(
            ownersPool({ url: server.urlOf(database), name: `parley:owner:${database}`, maxConnections: 1 }),
            {
              local: true,
            },
          ),
        )

      /**
       * Template and group role belong to the whole server, so processes that boot at once have to take turns. An
       * advisory lock belongs to one database, so this one is taken in the database that all Parleys of the server
       * share.
       */
      const exclusively = <A, E, R>(self: Effect.Effect<A, E, R>) =>
        Effect.scoped(
          Effect.gen(function* () {
            const lock = yield* Layer.build(
              ownersPool({ url: server.urlOf("postgres"), name: "parley:lock", maxConnections: 1 }),
            ).pipe(Effect.map(Context.get(SqlClient.SqlClient)))
            const taken = lock`select pg_advisory_xact_lock(hashtext('parley-provisioning'))`
            return yield* lock.withTransaction(Effect.andThen(taken, self))
          }),
        )

      /** Rows an account's database begins with are the template's: the built-in tools among them. */
      const ensureTemplate = Effect.gen(function* () {
        const [role] = yield* admin`select from pg_roles where rolname = 'parley_tenant'`
        if (role === undefined) yield* admin`create role parley_tenant nologin`
        const [found] = yield* admin`select from pg_database where datname = ${template} and datistemplate`
        if (found !== undefined) return
        yield* admin`drop database if exists ${admin(template)}`
        yield* admin`create database ${admin(template)} template template0`
        yield* admin`revoke connect on database ${admin(template)} from public`
        yield* asOwner(template, newest)
        yield* admin`alter database ${admin(template)} is_template true`
      })
      yield* exclusively(ensureTemplate)

      const create = Effect.fn("Provisioning.create")(
        function* (account: NewAccount) {
          const [taken] = yield* platform`select from accounts where slug = ${account.slug}`
          if (taken !== undefined) return yield* new NameTaken({ resource: "account", name: account.slug })
          const id = uuidv7()
          const database = `${server.platformDatabase}_${id.replaceAll("-", "").slice(-16)}`
          const dataKey = randomBytes(32)
          // Making a database takes time; a request's transaction is kept open meanwhile.
          yield* keepOpen(createDatabase(database, loginOf(database, dataKey).password)).pipe(
            Effect.provideService(SqlClient.SqlClient, platform),
          )
          yield* asOwner(database, copyCaps(account))
          const row = { ...account, calling_window: json(account.calling_window), id, database }
          yield* platform`insert into accounts ${platform.insert({
            ...row,
            data_key: master.wrap(id, dataKey),
            schema_version: Migrations.newestOfTenant,
          })}`.pipe(
            Effect.catchReason("SqlError", "UniqueViolation", () =>
              Effect.andThen(dropDatabase(database), new NameTaken({ resource: "account", name: account.slug })),
            ),
          )
          yield* directory.forget(account.slug)
          return yield* Effect.orDie(directory.find(account.slug))
        },
        Effect.catchTag("SqlError", Effect.die),
      )

      const createDatabase = (name: string, password: string) =>
        Effect.gen(function* () {
          // CREATE ROLE takes no parameters; the password is base64url that is generated here.
          yield* admin.unsafe(`create role "${name}" login in role parley_tenant password '${password}'`)
          // WAL_LOG, the default strategy: 55 ms against 300 of FILE_COPY, which also forces two checkpoints.
          yield* admin`create database ${admin(name)} template ${admin(template)}`
          yield* admin`revoke connect, temporary on database ${admin(name)} from public`
          yield* admin`grant connect on database ${admin(name)} to ${admin(name)}`
        })

      const dropDatabase = (name: string) =>
        Effect.andThen(
          admin`drop database if exists ${admin(name)} with (force)`,
          admin`drop role if exists ${admin(name)}`,
        )

      /** `change` gets the present settings. If another change was committed in between, it is called again. */
      const update: Provisioning["Service"]["update"] = Effect.fn("Provisioning.update")(function* (slug, change) {
        while (true) {
          yield* directory.forget(slug)
          const present = yield* directory.find(slug)
          const { slug: _, created_at: __, ...settings } = yield* change(present)
          const row = { ...settings, calling_window: json(settings.calling_window) }
          const changed = yield* platform`
            update accounts set ${platform.update(row)}, revision = revision + 1, updated_at = now()
            where id = ${present.id} and revision = ${present.revision} returning id`.pipe(Effect.orDie)
          if (changed.length === 0) continue
          yield* Effect.orDie(asOwner(present.database, copyCaps(settings)))
          yield* directory.forget(slug)
          return yield* directory.find(slug)
        }
      })

      const drop = Effect.fn("Provisioning.drop")(
        function* (slug: string) {
          yield* directory.forget(slug)
          const { id, database } = yield* directory.find(slug)
          if (yield* asOwner(database, isBusy)) {
            return yield* new InUse({
              resource: "account",
              detail: `The account ${slug} has a running campaign or a call in progress. Stop them first.`,
            })
          }
          yield* platform`delete from accounts where id = ${id}`
          yield* directory.forget(slug)
          yield* tenants.close(slug)
          yield* dropDatabase(database)
        },
        Effect.catchTag("SqlError", Effect.die),
      )

      const migrateAll = Effect.gen(function* () {
        const behind = (yield* directory.all).filter((entry) => entry.schemaVersion < Migrations.newestOfTenant)
        yield* Effect.forEach(
          behind,
          ({ account, database, id }) =>
            asOwner(database, Effect.andThen(newest, copyCaps(account))).pipe(
              Effect.andThen(
                // A process of a later release may have migrated it further meanwhile.
                platform`
                  update accounts set schema_version = greatest(schema_version, ${Migrations.newestOfTenant})
                  where id = ${id}`,
              ),
              Effect.andThen(directory.forget(account.slug)),
              Effect.catchCause((cause) =>
                Effect.logError("account migration failed", cause).pipe(Effect.annotateLogs({ account: id })),
              ),
            ),
          // Each migration holds a connection in addition to the pools.
          { concurrency: 8, discard: true },
        )
      })

      return { create, update, drop, migrateAll }
    }),
  )
}

type Caps = Pick<Account, "concurrent_max" | "calls_per_minute" | "calls_per_day" | "time_zone" | "calling_window">

const copyCaps = Effect.fnUntraced(function* (account: Caps) {
  const sql = yield* SqlClient.SqlClient
  // In the new zone it may be another day, which would start a count of zero. Today's calls have to count on.
  yield* sql`
    update budget set
      day = case when day = (clock_timestamp() at time zone time_zone)::date
                 then (clock_timestamp() at time zone ${account.time_zone})::date else day end,
      concurrent_max = ${account.concurrent_max}, calls_per_minute = ${account.calls_per_minute},
      calls_per_day = ${account.calls_per_day}, time_zone = ${account.time_zone},
      calling_window = ${json(account.calling_window)}`
})

/** Whether a call is live, or may begin at any moment. */
const isBusy = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [busy] = yield* sql`
    select exists (select from campaigns where status = 'running')
        or exists (select from live_calls) as busy`
  return busy?.["busy"] === true
})
