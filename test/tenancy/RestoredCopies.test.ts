import { assert, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccountAccess } from "../../src/tenancy/AccountAccess.ts"
import { AccountDirectory } from "../../src/tenancy/AccountDirectory.ts"
import { DatabaseServer } from "../../src/tenancy/DatabaseServer.ts"
import { PlatformDatabase } from "../../src/tenancy/PlatformDatabase.ts"
import { Provisioning } from "../../src/tenancy/Provisioning.ts"
import { RestoredCopies } from "../../src/tenancy/RestoredCopies.ts"
import { layer, newAccount, within } from "../support/TestTenancy.ts"

const statusOf = (slug: string) =>
  Effect.gen(function* () {
    const directory = yield* AccountDirectory
    yield* directory.forget(slug)
    return (yield* directory.find(slug)).account.status
  })

const setStatus = (slug: string, status: "active" | "suspended") =>
  Provisioning.use((provisioning) => provisioning.update(slug, ({ account }) => Effect.succeed({ ...account, status })))

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("a restored copy (decision 0044)", (it) => {
  it.effect("is an account whose database was made again, and no other account", () =>
    Effect.gen(function* () {
      const copies = yield* RestoredCopies
      const { maintenance } = yield* DatabaseServer
      const { database } = yield* newAccount("again")
      yield* newAccount("untouched")
      yield* copies.check
      assert.strictEqual(yield* statusOf("again"), "active")
      yield* maintenance`alter database ${maintenance(database)} rename to ${maintenance(`${database}_old`)}`
      yield* maintenance`create database ${maintenance(database)} template ${maintenance(`${database}_old`)}`

      yield* copies.check
      assert.deepStrictEqual([yield* statusOf("again"), yield* statusOf("untouched")], ["restored", "active"])

      yield* setStatus("again", "active")
      yield* copies.check
      assert.strictEqual(yield* statusOf("again"), "active")
    }),
  )

  it.effect("is every active account on another server, or after a recovery to an earlier time", () =>
    Effect.gen(function* () {
      const platform = yield* PlatformDatabase
      const copies = yield* RestoredCopies
      yield* newAccount("dialling")
      yield* newAccount("closed", { status: "suspended" })
      yield* copies.checkAtBoot
      yield* copies.checkAtBoot
      assert.strictEqual(yield* statusOf("dialling"), "active")
      for (const changed of [{ system_identifier: "1" }, { timeline: "000000FF" }, { data_folder: "1 1" }]) {
        yield* platform`update installation set ${platform.update(changed)}`
        yield* copies.checkAtBoot
        assert.deepStrictEqual([yield* statusOf("dialling"), yield* statusOf("closed")], ["restored", "suspended"])
        yield* setStatus("dialling", "active")
        yield* copies.checkAtBoot
        assert.strictEqual(yield* statusOf("dialling"), "active")
      }
    }),
  )

  it.effect("is none where a standby was promoted while a process was connected", () =>
    Effect.gen(function* () {
      const platform = yield* PlatformDatabase
      const copies = yield* RestoredCopies
      const { platformDatabase, urlOf } = yield* DatabaseServer
      yield* newAccount("connected")
      yield* copies.checkAtBoot
      const promoted = platform`update installation set timeline = '000000FF'`
      yield* promoted
      yield* copies.check
      yield* copies.checkAtBoot
      assert.strictEqual(yield* statusOf("connected"), "active")

      const other = PgClient.layer({ url: urlOf(platformDatabase), applicationName: "parley:node:other" })
      yield* promoted
      yield* Effect.andThen(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1`),
        copies.checkAtBoot,
      ).pipe(Effect.provide(other, { local: true }))
      assert.strictEqual(yield* statusOf("connected"), "active")
    }),
  )

  it.effect("gets no role from a process that has the wrong encryption key", () =>
    Effect.gen(function* () {
      const access = yield* AccountAccess
      const platform = yield* PlatformDatabase
      const { maintenance } = yield* DatabaseServer
      const { database, id } = yield* newAccount("locked")
      const roles = maintenance`select from pg_roles where rolname = ${database}`
      yield* maintenance`revoke connect on database ${maintenance(database)} from ${maintenance(database)}`
      yield* maintenance`drop role ${maintenance(database)}`
      const [row] = yield* platform`select data_key from accounts where id = ${id}`
      yield* platform`update accounts set data_key = ${new Uint8Array(80)} where id = ${id}`
      yield* access.restore
      assert.strictEqual((yield* roles).length, 0)

      yield* platform`update accounts set data_key = ${row?.["data_key"]} where id = ${id}`
      yield* access.restore
      assert.strictEqual((yield* roles).length, 1)
    }),
  )

  it.effect("gets back its role and its privileges, and its database is closed to others", () =>
    Effect.gen(function* () {
      const access = yield* AccountAccess
      const { maintenance } = yield* DatabaseServer
      const entry = yield* newAccount("bare")
      const { database } = entry
      const read = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select from contacts`)
      yield* maintenance`revoke connect on database ${maintenance(database)} from ${maintenance(database)}`
      yield* maintenance`drop role ${maintenance(database)}`
      yield* maintenance`grant connect on database ${maintenance(database)} to public`

      yield* access.restore

      assert.deepStrictEqual(yield* within(entry)(read), [])
      const [found] = yield* maintenance`
        select has_database_privilege('public', ${database}, 'connect') as is_open`
      assert.strictEqual(found?.["is_open"], false)
    }),
  )
})
