/**
 * Accounts with an old schema are migrated while Parley serves, and a new release leaves them to an earlier one until
 * then.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { AccountDirectory } from "../../src/tenancy/AccountDirectory.ts"
import { AccountMigrations } from "../../src/tenancy/AccountMigrations.ts"
import { DatabaseServer, ownersPool } from "../../src/tenancy/DatabaseServer.ts"
import * as Migrations from "../../src/tenancy/Migrations.ts"
import { PlatformDatabase } from "../../src/tenancy/PlatformDatabase.ts"
import { TenantDatabases } from "../../src/tenancy/TenantDatabases.ts"
import { layer, newAccount } from "../support/TestTenancy.ts"

/** A new account whose directory says that its schema is old. */
const oldAccount = Effect.fnUntraced(function* (slug: string) {
  const [directory, platform] = [yield* AccountDirectory, yield* PlatformDatabase]
  const entry = yield* newAccount(slug)
  yield* platform`update accounts set schema_version = 0 where id = ${entry.id}`
  yield* directory.forget(slug)
  return entry
})

const opens = Effect.fnUntraced(function* (slug: string) {
  const [directory, tenants] = [yield* AccountDirectory, yield* TenantDatabases]
  const opened = yield* Effect.exit(Effect.scoped(Effect.flatMap(directory.find(slug), tenants.open)))
  return Exit.isSuccess(opened)
})

/** Runs `self` while a session holds the table that every migration takes, as a `pg_dump` does. */
const whileHeld = <A, E, R>(database: string, self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { urlOf } = yield* DatabaseServer
    const dump = ownersPool({ url: urlOf(database), name: "pg_dump", maxConnections: 1 })
    const held = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`lock table schema_migrations in access share mode`
      return yield* self
    })
    return yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(held)).pipe(
      Effect.provide(dump, { local: true }),
    )
  })

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("an account with an old schema", (it) => {
  it.effect("is migrated by the first request, and once for many", () =>
    Effect.gen(function* () {
      yield* oldAccount("asked")
      const opened = yield* Effect.all(
        Array.from({ length: 20 }, () => opens("asked")),
        { concurrency: "unbounded" },
      )
      assert.notInclude(opened, false)
      const { schemaVersion } = yield* AccountDirectory.use((directory) => directory.find("asked"))
      assert.strictEqual(schemaVersion, Migrations.newestOfTenant)
    }),
  )

  it.effect("under a dump is refused soon, waits without holding up others, and is migrated after it", () =>
    Effect.gen(function* () {
      const [migrations, platform] = [yield* AccountMigrations, yield* PlatformDatabase]
      const { database } = yield* oldAccount("dumped")
      yield* platform`insert into nodes (id, dials, tenant_schema) values (gen_random_uuid(), true, null)`
      const isAlive = platform`update nodes set seen_at = clock_timestamp() where seen_at > '-infinity'`
      yield* whileHeld(
        database,
        Effect.gen(function* () {
          yield* migrations.begin
          assert.deepStrictEqual(yield* migrations.progress, { pending: 0, waiting: 1, failed: 0 })
          assert.isFalse(yield* opens("dumped"))
          yield* oldAccount("beside")
          assert.isTrue(yield* opens("beside"))
          yield* isAlive
          assert.isTrue(yield* migrations.isHeldBack)
          // Later tries look first, and leave the table to its readers.
          const { urlOf } = yield* DatabaseServer
          const reader = ownersPool({ url: urlOf(database), name: "reader", maxConnections: 1 })
          const tryAgain = Migrations.attempt("tenant", { again: true }).pipe(Effect.provide(reader, { local: true }))
          const refusal = yield* Effect.flip(tryAgain)
          assert.include(refusal.message, 'The session "pg_dump"')
        }),
      )
      yield* Effect.gen(function* () {
        yield* isAlive
        return yield* migrations.isHeldBack
      }).pipe(Effect.repeat({ until: (isHeld) => !isHeld }))
      assert.isTrue(yield* opens("dumped"))
    }),
  )
})

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("a process of a new release", (it) => {
  it.effect("takes over when one of an earlier release drains, also before all accounts are migrated", () =>
    Effect.gen(function* () {
      const [{ isHeldBack }, platform] = [yield* AccountMigrations, yield* PlatformDatabase]
      yield* oldAccount("left")
      yield* platform`insert into nodes (id, dials) values (gen_random_uuid(), true)`
      assert.isTrue(yield* isHeldBack)
      yield* platform`update nodes set dials = false`
      assert.isFalse(yield* isHeldBack)
      yield* platform`update nodes set dials = true`
      assert.isFalse(yield* isHeldBack)
    }),
  )
})

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })(
  "an account that only a later release can use",
  (it) => {
    it.effect("is unavailable, and is not migrated", () =>
      Effect.gen(function* () {
        const [directory, platform] = [yield* AccountDirectory, yield* PlatformDatabase]
        const { id } = yield* newAccount("later")
        yield* platform`
        update accounts set schema_version = ${Migrations.newestOfTenant + 2},
          serves_from = ${Migrations.newestOfTenant + 1} where id = ${id}`
        yield* directory.forget("later")
        assert.isFalse(yield* opens("later"))
        yield* platform`update accounts set serves_from = ${Migrations.newestOfTenant} where id = ${id}`
        yield* directory.forget("later")
        assert.isTrue(yield* opens("later"))
      }),
    )
  },
)
