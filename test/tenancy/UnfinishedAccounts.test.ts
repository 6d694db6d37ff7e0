import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { chmodSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { AccountDirectory } from "../../src/tenancy/AccountDirectory.ts"
import { DatabaseServer } from "../../src/tenancy/DatabaseServer.ts"
import { EmbeddedPostgres } from "../../src/tenancy/EmbeddedPostgres.ts"
import { PlatformDatabase } from "../../src/tenancy/PlatformDatabase.ts"
import { Provisioning } from "../../src/tenancy/Provisioning.ts"
import { UnfinishedAccounts } from "../../src/tenancy/UnfinishedAccounts.ts"
import { debianPostgres, type DebianPostgres, debianPostgresFault } from "../support/DebianPostgres.ts"
import { dose } from "../support/Dose.ts"
import { emptyFolder, start } from "../support/Process.ts"
import { speak } from "../support/TestServer.ts"
import { layer, layerWith, newAccount, within } from "../support/TestTenancy.ts"
import { until } from "../support/Until.ts"

/** What is left of an account: its database, its role, its row, and the mark of its creation. */
const leftOf = Effect.fnUntraced(function* (database: string) {
  const platform = yield* PlatformDatabase
  const rows = yield* platform<{ what: string }>`
    select 'database' as what from pg_database where datname = ${database}
    union all select 'role' from pg_roles where rolname = ${database}
    union all select 'row' from accounts where database = ${database}
    union all select 'mark' from unfinished_databases where database = ${database}`
  return rows.map(({ what }) => what)
})

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })(
  "an account that a killed process left",
  (it) => {
    it.effect.each(["row", "database", "role"] as const)(
      "in the deletion of its %s is deleted by another process",
      (died) =>
        Effect.gen(function* () {
          const platform = yield* PlatformDatabase
          const { maintenance } = yield* DatabaseServer
          const directory = yield* AccountDirectory
          const unfinished = yield* UnfinishedAccounts
          const { account, database, id } = yield* newAccount(`deleted-at-${died}`)
          yield* platform`update accounts set deleting_at = now() where id = ${id}`
          if (died !== "database") yield* maintenance`drop database ${maintenance(database)}`
          if (died === "row") yield* maintenance`drop role ${maintenance(database)}`
          yield* directory.forget(account.slug)
          assert.isTrue(Exit.isFailure(yield* Effect.exit(directory.find(account.slug))))

          yield* unfinished.finish
          yield* unfinished.finish

          assert.deepStrictEqual(yield* leftOf(database), [])
          const [remembered] = yield* platform`select from deleted_accounts where id = ${id}`
          assert.isDefined(remembered)
        }),
    )

    it.effect.each(["mark", "role", "database"] as const)(
      "in its creation after the %s is dropped by another process",
      (last) =>
        Effect.gen(function* () {
          const platform = yield* PlatformDatabase
          const { maintenance, platformDatabase } = yield* DatabaseServer
          const unfinished = yield* UnfinishedAccounts
          const database = `${platformDatabase}_after_${last}`
          yield* platform`
        insert into unfinished_databases (database, directory_oid)
        select ${database}, oid from pg_database where datname = current_database()`
          if (last !== "mark") yield* maintenance`create role ${maintenance(database)}`
          if (last === "database") yield* maintenance`create database ${maintenance(database)}`

          yield* unfinished.finish

          assert.deepStrictEqual(yield* leftOf(database), [])
        }),
    )

    it.effect("is not one that a living process still makes, nor one of another directory", () =>
      Effect.gen(function* () {
        const platform = yield* PlatformDatabase
        const { maintenance, platformDatabase } = yield* DatabaseServer
        const unfinished = yield* UnfinishedAccounts
        const database = `${platformDatabase}_living`
        const [isMade, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const making = yield* unfinished
          .create(
            { server: null, database },
            Effect.gen(function* () {
              yield* maintenance`create database ${maintenance(database)}`
              yield* Deferred.succeed(isMade, undefined)
              yield* Deferred.await(mayEnd)
            }),
          )
          .pipe(Effect.forkChild)
        yield* Deferred.await(isMade)
        yield* unfinished.finish
        assert.deepStrictEqual(yield* leftOf(database), ["database", "mark"])
        yield* Deferred.succeed(mayEnd, undefined)
        yield* Fiber.join(making)
        assert.deepStrictEqual(yield* leftOf(database), ["database"])

        yield* platform`insert into unfinished_databases (database, directory_oid) values (${database}, 1)`
        yield* unfinished.finish
        assert.deepStrictEqual(yield* leftOf(database), ["database"])
      }),
    )

    it.effect("can be deleted again by an administrator, and its name is free afterwards", () =>
      Effect.gen(function* () {
        const platform = yield* PlatformDatabase
        const provisioning = yield* Provisioning
        const { database, id } = yield* newAccount("half")
        yield* platform`update accounts set deleting_at = now() where id = ${id}`
        yield* provisioning.drop("half")
        assert.deepStrictEqual(yield* leftOf(database), [])
        yield* newAccount("half")
      }),
    )
  },
)

/** On PostgreSQL 15 and 18, whose rules for CREATEROLE differ. */
const servers = {
  "the embedded server": Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "parley-owner-"))
    chmodSync(folder, 0o755)
    const { url } = Context.get(yield* Layer.build(EmbeddedPostgres.layer(folder, { fsync: "off" })), EmbeddedPostgres)
    yield* Effect.promise(async () => {
      const client = new pg.Client({ connectionString: Redacted.value(url) })
      await client.connect()
      await client.query("create role operator login createdb createrole password 'secret'")
      await client.end()
    })
    const own = new URL(Redacted.value(url))
    own.username = "operator"
    own.password = "secret"
    own.pathname = "/parley"
    return own.href
  }),
  ...(debianPostgresFault === undefined && {
    "Debian's server": Effect.acquireRelease(
      Effect.promise(() => debianPostgres()),
      (server) => Effect.sync(server.stop),
    ).pipe(Effect.map(({ url }) => url)),
  }),
}

describe.each(Object.entries(servers))("on %s, the documented role", (_, urlOf) => {
  it.live(
    "deletes an account while another process holds connections to it",
    () =>
      Effect.gen(function* () {
        const url = yield* urlOf
        const tenancy = yield* Layer.build(layerWith({ DATABASE_URL: url }))
        yield* Effect.gen(function* () {
          const { urlOf: databaseUrl } = yield* DatabaseServer
          const entry = yield* newAccount("held")
          const other = PgClient.layer({ url: databaseUrl(entry.database, entry.login) })
          const one = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1 as one`)
          yield* Effect.gen(function* () {
            yield* one
            yield* within(entry)(one)
            yield* Provisioning.use((provisioning) => provisioning.drop("held"))
          }).pipe(Effect.provide(other, { local: true }))
          assert.deepStrictEqual(yield* leftOf(entry.database), [])
        }).pipe(Effect.provideContext(tenancy))
      }).pipe(Effect.scoped),
    120_000,
  )
})

describe.skipIf(debianPostgresFault !== undefined)(
  "processes that are killed while they create and delete accounts",
  () => {
    let server: DebianPostgres
    beforeAll(async () => {
      server = await debianPostgres()
    }, 60_000)
    afterAll(() => server.stop())

    it("leave no database, role or row behind", async () => {
      const env = () => ({
        PARLEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
        DATABASE_URL: server.url,
        PARLEY_DATA_DIR: emptyFolder(),
      })
      // A creation takes some 100 ms, a deletion less.
      const every = dose(60, 60, 15)
      const moments = Array.from({ length: 240 / every }, (_, at) => 20 + at * every)
      for (const [round, milliseconds] of moments.entries()) {
        const parley = start(env())
        const admin = await speak(await parley.ready).admin()
        const slugs = Array.from({ length: 4 }, (_, at) => `killed-${round}-${at}`)
        const asked = slugs.map((slug) => admin.post("/api/admin/accounts", { slug }).catch(() => undefined))
        const earlier = server.asSuperuser(
          `select slug from accounts where slug like 'killed-${round - 1}-%'`,
          "parley",
        )
        const deleted = earlier.map((slug) => admin.delete(`/api/admin/accounts/${slug}`).catch(() => undefined))
        await new Promise((resolve) => setTimeout(resolve, milliseconds))
        parley.child.kill("SIGKILL")
        await Promise.all([parley.ended, ...asked, ...deleted])
      }
      const last = start(env())
      await last.ready
      const isTidy = () => {
        const [rows = ""] = server.asSuperuser(
          `select (select count(*) from accounts where deleting_at is not null) + (select count(*) from unfinished_databases),
           (select string_agg(database, ' ' order by database) from accounts)`,
          "parley",
        )
        const [databases = ""] = server.asSuperuser(
          "select string_agg(datname, ' ' order by datname) from pg_database where datname ~ '^parley_[0-9a-f]{16}$'",
        )
        const [roles = ""] = server.asSuperuser(
          "select string_agg(rolname, ' ' order by rolname) from pg_roles where rolname ~ '^parley_[0-9a-f]{16}$'",
        )
        return rows === `0|${databases}` && databases === roles
      }
      await until(isTidy)
      last.child.kill("SIGTERM")
      assert.strictEqual(await last.ended, 0)
    }, 120_000)
  },
)
