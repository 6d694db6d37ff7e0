import { assert, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { AccountDirectory } from "../../src/tenancy/AccountDirectory.ts"
import { AccountMigrations } from "../../src/tenancy/AccountMigrations.ts"
import { DatabaseServer } from "../../src/tenancy/DatabaseServer.ts"
import { PlatformDatabase } from "../../src/tenancy/PlatformDatabase.ts"
import { Provisioning } from "../../src/tenancy/Provisioning.ts"
import { TenantDatabases } from "../../src/tenancy/TenantDatabases.ts"
import { layer, layerWith, newAccount, within } from "../support/TestTenancy.ts"
import { until } from "../support/Until.ts"

const suppressed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ phone_number: string }>`select phone_number from suppressions`
  return rows.map((row) => row.phone_number)
})
const suppress = (number: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`insert into suppressions (phone_number, source) values (${number}, 'api')`,
  )

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("the database of an account (spec §1)", (it) => {
  it.effect("tenants never share storage, also while both are open", () =>
    Effect.gen(function* () {
      const [acme, globex] = [yield* newAccount("acme"), yield* newAccount("globex")]
      yield* Effect.gen(function* () {
        yield* suppress("+15550000001")
        assert.deepStrictEqual(yield* within(globex)(suppressed), [])
        assert.deepStrictEqual(yield* suppressed, ["+15550000001"])
      }).pipe(within(acme))
      const names = [acme, globex].map((entry) => entry.database)
      assert.isTrue(names.every((name) => !name.includes("acme") && !name.includes("globex")))
    }),
  )

  it.effect("an account's role connects to its own database alone", () =>
    Effect.gen(function* () {
      const server = yield* DatabaseServer
      const [mine, other] = [yield* newAccount("mine"), yield* newAccount("other")]
      const connect = (database: string) =>
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1`).pipe(
          Effect.provide(PgClient.layer({ url: server.urlOf(database, mine.login) }), { local: true }),
          Effect.exit,
        )
      assert.isTrue(Exit.isSuccess(yield* connect(mine.database)))
      assert.isTrue(Exit.isFailure(yield* connect(other.database)))
      assert.isTrue(Exit.isFailure(yield* connect(server.platformDatabase)))
    }),
  )

  it.effect("fifty requests at once to a closed account open one pool", () =>
    Effect.gen(function* () {
      const entry = yield* newAccount("cold")
      const server = yield* DatabaseServer
      yield* Effect.all(
        Array.from({ length: 50 }, () => within(entry)(suppressed)),
        { concurrency: "unbounded" },
      )
      const [seen] = yield* server.maintenance`
        select count(*)::int as connections from pg_stat_activity where datname = ${entry.database}`
      assert.isAtMost(Number(seen?.connections), 4)
    }),
  )

  it.effect("of two creations of one slug at once exactly one wins, and the other leaves nothing", () =>
    Effect.gen(function* () {
      const server = yield* DatabaseServer
      const databases = server.maintenance<{ count: number }>`
        select count(*)::int as count from pg_database where datname like ${`${server.platformDatabase}\\_%`}`
      const [before] = yield* databases
      const exits = yield* Effect.all([Effect.exit(newAccount("twin")), Effect.exit(newAccount("twin"))], {
        concurrency: "unbounded",
      })
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
      const [after] = yield* databases
      assert.strictEqual((after?.count ?? 0) - (before?.count ?? 0), 1)
    }),
  )

  it.effect("a dropped account takes its database and role along", () =>
    Effect.gen(function* () {
      const provisioning = yield* Provisioning
      const server = yield* DatabaseServer
      const entry = yield* newAccount("gone")
      yield* within(entry)(suppressed)
      yield* provisioning.drop(entry.account.slug)
      const left = yield* server.maintenance`
        select datname as name from pg_database where datname = ${entry.database}
        union all select rolname from pg_roles where rolname = ${entry.login.role}`
      assert.deepStrictEqual(left, [])
    }),
  )

  it.effect("who was admitted to a deleted account does not reach the account that was created with its slug", () =>
    Effect.gen(function* () {
      const deleted = yield* newAccount("again")
      yield* Provisioning.use((provisioning) => provisioning.drop(deleted.account.slug))
      const created = yield* newAccount("again")
      yield* within(created)(suppress("+15550000002"))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(within(deleted)(suppressed))))
      assert.deepStrictEqual(yield* within(created)(suppressed), ["+15550000002"])
    }),
  )

  it.effect("an account whose migration fails is not available, the others are brought on", () =>
    Effect.gen(function* () {
      const [broken, sound] = [yield* newAccount("broken"), yield* newAccount("sound")]
      const [platform, migrations] = [yield* PlatformDatabase, yield* AccountMigrations]
      const directory = yield* AccountDirectory
      yield* platform`update accounts set schema_version = 0 where id in ${platform.in([broken.id, sound.id])}`
      yield* platform`update accounts set database = 'not_there' where id = ${broken.id}`
      yield* Effect.all(["broken", "sound"].map(directory.forget))
      yield* migrations.migrateAll
      const tenants = yield* TenantDatabases
      const opened = (slug: string) =>
        Effect.scoped(Effect.exit(Effect.flatMap(directory.find(slug), tenants.open))).pipe(Effect.map(Exit.isSuccess))
      assert.deepStrictEqual([yield* opened("broken"), yield* opened("sound")], [false, true])
    }),
  )

  it.effect("the caps of an account are copied to where a dial reads them", () =>
    Effect.gen(function* () {
      const provisioning = yield* Provisioning
      const caps = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`select concurrent_max, calls_per_minute, time_zone from budget`,
      )
      const entry = yield* newAccount("capped", { concurrent_max: 7 })
      assert.deepStrictEqual(yield* within(entry)(caps), [
        { concurrent_max: 7, calls_per_minute: 60, time_zone: "UTC" },
      ])
      yield* provisioning.update(entry.account.slug, ({ account }) =>
        Effect.succeed({ ...account, calls_per_minute: 5 }),
      )
      assert.deepStrictEqual(yield* within(entry)(caps), [{ concurrent_max: 7, calls_per_minute: 5, time_zone: "UTC" }])
    }),
  )
})

it.live("a busy process opens the account that another one created with the slug of a deleted account", () =>
  Effect.gen(function* () {
    const database = new URL(inject("postgres"))
    database.pathname = `/parley_${crypto.randomUUID().slice(0, 8)}`
    const folder = mkdtempSync(join(tmpdir(), "parley-test-data-"))
    const process = Layer.build(Layer.fresh(layerWith({ DATABASE_URL: database.href, PARLEY_DATA_DIR: folder })))
    const [busy, other] = [yield* process, yield* process]
    const request = Effect.flatMap(
      AccountDirectory.use((directory) => directory.find("elsewhere")),
      (entry) => within(entry)(suppressed),
    ).pipe(Effect.provideContext(busy), Effect.exit)
    yield* Effect.provideContext(newAccount("elsewhere"), other)
    assert.isTrue(Exit.isSuccess(yield* request))
    yield* Provisioning.use((provisioning) => provisioning.drop("elsewhere")).pipe(Effect.provideContext(other))
    yield* Effect.provideContext(newAccount("elsewhere"), other)
    // Its directory remembers the deleted account for some seconds.
    yield* Effect.promise(() => until(async () => Exit.isSuccess(await Effect.runPromise(request))))
  }).pipe(Effect.scoped),
)
