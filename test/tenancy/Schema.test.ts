import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { AccountDirectory } from "../../src/tenancy/AccountDirectory.ts"
import { AccountMigrations } from "../../src/tenancy/AccountMigrations.ts"
import * as Cell from "../../src/tenancy/Cell.ts"
import { DatabaseServer, ownersPool } from "../../src/tenancy/DatabaseServer.ts"
import * as Migrations from "../../src/tenancy/Migrations.ts"
import { PlatformDatabase } from "../../src/tenancy/PlatformDatabase.ts"
import { listSchema } from "../support/SchemaListing.ts"
import { layer, newAccount, within } from "../support/TestTenancy.ts"
import { until } from "../support/Until.ts"

const ofCell = (name: string) =>
  Layer.provide(Cell.layer, ConfigProvider.layer(ConfigProvider.fromEnvRecord({ PARLEY_CELL: name })))

const compare = (listing: string, family: "platform" | "tenant") =>
  Effect.promise(() => expect(listing).toMatchFileSnapshot(`../../migrations/${family}/schema.sql`))

/** Runs `self` in a new account's database as the server's owner, which alone may change the schema. */
const asOwner = <A, E, R>(slug: string, self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { database } = yield* newAccount(slug)
    const { urlOf } = yield* DatabaseServer
    const owner = ownersPool({ url: urlOf(database), name: "parley:test", maxConnections: 1 })
    return yield* Effect.provide(self, owner, { local: true })
  })

const functionNow = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ text: string }>`select prosrc as text from pg_proc where proname = 'calls_gone'`,
)
const otherFunction = `create or replace function calls_gone() returns trigger language plpgsql as $$ begin return null; end $$`

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("the schema", (it) => {
  it.effect("of an account is the one listed in migrations/tenant/schema.sql (npm run schema writes it)", () =>
    Effect.gen(function* () {
      const listing = yield* Effect.flatMap(newAccount("listed"), (entry) => within(entry)(listSchema))
      yield* compare(listing, "tenant")
    }),
  )

  it.effect("of the platform is the one listed in migrations/platform/schema.sql", () =>
    Effect.gen(function* () {
      const platform = yield* PlatformDatabase
      const listing = yield* Effect.provideService(listSchema, SqlClient.SqlClient, platform)
      yield* compare(listing, "platform")
    }),
  )

  it.effect("of the platform has an index by which a process finds the accounts of its cell (decision 0075)", () =>
    Effect.gen(function* () {
      const platform = yield* PlatformDatabase
      const { isServed } = yield* Effect.provide(Cell.Cell, ofCell("pg2"))
      const plan = yield* platform.withTransaction(
        Effect.andThen(
          // In a small table, reading all rows costs less than an index.
          platform`set local enable_seqscan = off`,
          platform`explain select from accounts a where ${isServed(platform)}`,
        ),
      )
      assert.include(JSON.stringify(plan), "accounts_by_cell")
    }),
  )
})

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("a migration", (it) => {
  it.effect("refuses a database of the files from before the baseline", () =>
    asOwner(
      "older",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`update schema_migrations set name = 'catalog' where migration_id = 1`
        const refusal = yield* Effect.flip(Migrations.run("tenant"))
        assert.include(refusal.message, 'its first migration is "catalog"')
      }),
    ),
  )

  it.effect("replaces a function whose file has changed, and no other", () =>
    asOwner(
      "changed",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const current = yield* functionNow
        yield* sql.unsafe(otherFunction)
        yield* Migrations.run("tenant")
        assert.notDeepEqual(yield* functionNow, current)
        yield* sql`update schema_functions set digest = 'of another text' where name = 'calls_gone'`
        yield* Migrations.run("tenant")
        assert.deepStrictEqual(yield* functionNow, current)
      }),
    ),
  )

  it.effect("of an older release leaves the functions of a newer one", () =>
    asOwner(
      "ahead",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe(otherFunction)
        yield* sql`update schema_functions set digest = 'of a newer text' where name = 'calls_gone'`
        yield* sql`insert into schema_migrations (migration_id, name) values (${Migrations.newestOfTenant + 1}, 'newer')`
        const newer = yield* functionNow
        yield* Migrations.run("tenant")
        assert.deepStrictEqual(yield* functionNow, newer)
      }),
    ),
  )

  it.effect("of an older release does not lower the version of an account that a newer one raised meanwhile", () =>
    Effect.gen(function* () {
      const entry = yield* newAccount("raised")
      const { urlOf } = yield* DatabaseServer
      const [directory, platform, migrations] = [
        yield* AccountDirectory,
        yield* PlatformDatabase,
        yield* AccountMigrations,
      ]
      const setVersion = (version: number) =>
        platform`update accounts set schema_version = ${version} where id = ${entry.id}`
      yield* setVersion(0)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const isWaiting = sql`
          select from pg_stat_activity where datname = ${entry.database} and wait_event = 'advisory'`.pipe(
          Effect.map((rows) => rows.length > 0),
        )
        const migrating = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`select pg_advisory_xact_lock(hashtext('parley-migrations'))`
            const fiber = yield* Effect.forkChild(migrations.migrateAll)
            yield* Effect.promise(() => until(() => Effect.runPromise(isWaiting)))
            yield* setVersion(Migrations.newestOfTenant + 1)
            return fiber
          }),
        )
        yield* Fiber.join(migrating)
      }).pipe(
        Effect.provide(ownersPool({ url: urlOf(entry.database), name: "parley:test", maxConnections: 2 }), {
          local: true,
        }),
      )
      yield* directory.forget("raised")
      assert.strictEqual((yield* directory.find("raised")).schemaVersion, Migrations.newestOfTenant + 1)
    }),
  )

  it.effect("waits for a table that a dump holds, and lets readers of it go first", () =>
    asOwner(
      "dumped",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { database } = yield* AccountDirectory.use((directory) => directory.find("dumped"))
        const { urlOf } = yield* DatabaseServer
        const dump = ownersPool({ url: urlOf(database), name: "parley:dump", maxConnections: 2 })
        const reader = ownersPool({ url: urlOf(database), name: "parley:reader", maxConnections: 1 })
        const migrating = yield* Effect.gen(function* () {
          const other = yield* SqlClient.SqlClient
          return yield* other.withTransaction(
            Effect.gen(function* () {
              // As pg_dump locks every table; a migration begins with the table of migrations.
              yield* other`lock table schema_migrations in access share mode`
              const fiber = yield* Effect.forkDetach(
                Migrations.run("tenant").pipe(Effect.provideService(SqlClient.SqlClient, sql)),
              )
              const isWaiting = other`
                select from pg_stat_activity where datname = ${database} and wait_event = 'relation'`
              yield* Effect.promise(() => until(async () => (await Effect.runPromise(isWaiting)).length > 0))
              // Another reader waits for the migration, at most until that gives way.
              const read = Effect.flatMap(SqlClient.SqlClient, (reader) => reader`select from schema_migrations`)
              yield* read.pipe(Effect.timeout("10 seconds"), Effect.provide(reader, { local: true }))
              assert.isUndefined(fiber.pollUnsafe())
              return fiber
            }),
          )
        }).pipe(Effect.provide(dump, { local: true }))
        yield* Fiber.join(migrating)
      }),
    ),
  )

  it.effect("of two processes that boot at once is made once", () =>
    Effect.gen(function* () {
      const { maintenance, urlOf } = yield* DatabaseServer
      yield* maintenance`create database booted_twice`
      const owner = ownersPool({ url: urlOf("booted_twice"), name: "parley:test", maxConnections: 2 })
      const made = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* Effect.all([Migrations.run("tenant"), Migrations.run("tenant")], { concurrency: "unbounded" })
        return yield* sql`select migration_id from schema_migrations`
      }).pipe(Effect.provide(owner, { local: true }))
      assert.strictEqual(made.length, Migrations.newestOfTenant)
      yield* maintenance`drop database booted_twice`
    }),
  )

  it.effect("leaves the account's role no way to write what has been migrated", () =>
    Effect.gen(function* () {
      const entry = yield* newAccount("guarded")
      yield* within(entry)(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const [row] = yield* sql`
            select has_table_privilege('schema_functions', 'insert, update, delete') as functions,
              has_table_privilege('schema_migrations', 'insert, update, delete') as migrations`
          assert.deepStrictEqual(row, { functions: false, migrations: false })
        }),
      )
    }),
  )
})
