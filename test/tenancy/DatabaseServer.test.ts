import { assert, it } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Fiber, Layer, Logger, Redacted, References } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { inject } from "vitest"
import { DataFolder } from "../../src/tenancy/DataFolder.ts"
import { DatabaseServer } from "../../src/tenancy/DatabaseServer.ts"
import { EmbeddedPostgres } from "../../src/tenancy/EmbeddedPostgres.ts"
import { PlatformDatabase } from "../../src/tenancy/PlatformDatabase.ts"
import { until } from "../support/Until.ts"

/** The error code of a connection that is refused; undefined when it is let in. */
const refusalOf = async (connectionString: string): Promise<string | undefined> => {
  const client = new pg.Client({ connectionString })
  try {
    await client.connect()
    return undefined
  } catch (cause) {
    return (cause as pg.DatabaseError).code
  } finally {
    await client.end()
  }
}

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-server-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
)

it.live(
  "the embedded server lets an account's role into no database but its own, also when it starts again",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const config = ConfigProvider.layer(ConfigProvider.fromEnvRecord({ PARLEY_DATA_DIR: folder }))
      const login = { role: "tenant", password: "secret" }
      const check = (isNew: boolean) =>
        Effect.gen(function* () {
          const { maintenance, urlOf } = yield* DatabaseServer
          if (isNew) yield* maintenance`create role tenant login password 'secret'`
          for (const database of ["postgres", "template1"]) {
            const refusal = yield* Effect.promise(() => refusalOf(Redacted.value(urlOf(database, login))))
            assert.strictEqual(refusal, "42501", database)
            assert.isUndefined(yield* Effect.promise(() => refusalOf(Redacted.value(urlOf(database)))), database)
          }
        }).pipe(Effect.provide(DatabaseServer.layer.pipe(Layer.provide(DataFolder.layer), Layer.provide(config))))
      yield* check(true)
      yield* check(false)
    }).pipe(Effect.scoped),
  120_000,
)

it.live(
  "on an operator's server the log says which statements keep accounts' roles out, until they have been run",
  () =>
    Effect.gen(function* () {
      const server = yield* Layer.build(EmbeddedPostgres.layer(yield* temporaryFolder))
      const superuser = Redacted.value(Context.get(server, EmbeddedPostgres).url)
      const run = (sql: string) =>
        Effect.promise(async () => {
          const client = new pg.Client({ connectionString: superuser })
          await client.connect()
          await client.query(sql).finally(() => client.end())
        })
      yield* run(
        "create role \"parley-1\" login createdb createrole password 'secret'; create role tenant login password 'secret'",
      )
      const url = new URL(superuser)
      url.password = "secret"
      const as = (role: string, database: string) => {
        url.username = role
        url.pathname = `/${database}`
        return url.href
      }
      const warnings = Effect.gen(function* () {
        const logged: Array<Record<string, unknown>> = []
        const logger = Logger.make(({ fiber, logLevel }) => {
          if (logLevel === "Warn") logged.push({ ...fiber.getRef(References.CurrentLogAnnotations) })
        })
        const config = ConfigProvider.layer(ConfigProvider.fromEnvRecord({ DATABASE_URL: as("parley-1", "parley") }))
        yield* Effect.scoped(
          Layer.build(DatabaseServer.layer.pipe(Layer.provide(DataFolder.layer), Layer.provide(config))),
        ).pipe(Effect.provide(Logger.layer([logger])))
        return logged
      })

      const [warning] = yield* warnings
      assert.deepStrictEqual(warning?.databases, ["postgres", "template1"])
      const statements = String(warning?.statements)
      assert.strictEqual(
        statements,
        'revoke connect on database postgres, template1 from public; grant connect on database postgres to "parley-1";',
      )
      yield* run(statements)
      for (const database of ["postgres", "template1"]) {
        assert.strictEqual(yield* Effect.promise(() => refusalOf(as("tenant", database))), "42501", database)
      }
      assert.deepStrictEqual(yield* warnings, [])
    }).pipe(Effect.scoped),
  120_000,
)

it.live(
  "a process that starts while another one closes the platform's database to accounts waits for it",
  () =>
    Effect.gen(function* () {
      const url = new URL(inject("postgres"))
      url.pathname = "/started_twice"
      const config = ConfigProvider.layer(ConfigProvider.fromEnvRecord({ DATABASE_URL: url.href }))
      const server = yield* Layer.build(
        DatabaseServer.layer.pipe(Layer.provide(DataFolder.layer), Layer.provide(config)),
      )
      const start = Effect.scoped(Layer.build(Layer.provide(PlatformDatabase.layer, Layer.succeedContext(server))))
      yield* start
      const other = new pg.Client({ connectionString: inject("postgres") })
      const run = (statement: string) => Effect.promise(() => other.query(statement))
      yield* Effect.acquireRelease(
        Effect.promise(() => other.connect()),
        () => Effect.promise(() => other.end()),
      )
      yield* run("begin")
      yield* run("select pg_advisory_xact_lock(hashtext('parley-rights'))")
      yield* run("revoke connect on database started_twice from public")
      const second = yield* Effect.forkChild(start)
      const waiting =
        "select from pg_stat_activity where application_name = 'parley:maintenance' and wait_event_type = 'Lock'"
      yield* Effect.promise(() => until(async () => (await other.query(waiting)).rows.length > 0))
      yield* run("commit")
      yield* Fiber.join(second)
    }).pipe(Effect.scoped),
  120_000,
)
