import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { DataFolder } from "../../src/tenancy/DataFolder.ts"
import { DatabaseServer } from "../../src/tenancy/DatabaseServer.ts"

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

it.live(
  "the embedded server lets an account's role into no database but its own, also when it starts again",
  () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-server-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
      )
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
