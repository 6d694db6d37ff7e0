/** Accounts that cannot be used: their requests get a 503, the others work, and administrators can change and delete them. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import pg from "pg"
import { inject } from "vitest"
import { AccountDirectory } from "../../src/tenancy/AccountDirectory.ts"
import { DatabaseServer, ownersPool } from "../../src/tenancy/DatabaseServer.ts"
import { PlatformDatabase } from "../../src/tenancy/PlatformDatabase.ts"
import { Provisioning } from "../../src/tenancy/Provisioning.ts"
import { TenantDatabases } from "../../src/tenancy/TenantDatabases.ts"
import { refused } from "../support/Problems.ts"
import { TestServer } from "../support/TestServer.ts"
import { layer, newAccount, within } from "../support/TestTenancy.ts"
import { until } from "../support/Until.ts"

type Entry = Effect.Success<ReturnType<typeof newAccount>>

const breakers: Record<string, (entry: Entry) => Effect.Effect<unknown, unknown, DatabaseServer | PlatformDatabase>> = {
  "a missing database": ({ database }) =>
    DatabaseServer.use(({ maintenance }) => maintenance`drop database ${maintenance(database)} with (force)`),
  "an unreadable data key": ({ id }) =>
    PlatformDatabase.use((sql) => sql`update accounts set data_key = ${randomBytes(80)} where id = ${id}`),
  "a wrong password": ({ database }) =>
    DatabaseServer.use(({ maintenance }) => maintenance.unsafe(`alter role "${database}" password 'other'`)),
  "no connections left": ({ database }) =>
    DatabaseServer.use(({ maintenance }) => maintenance.unsafe(`alter role "${database}" connection limit 0`)),
  "a failed migration": ({ database, id }) =>
    Effect.gen(function* () {
      const { urlOf } = yield* DatabaseServer
      const owner = ownersPool({ url: urlOf(database), name: "parley:test", maxConnections: 1 })
      yield* Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`update schema_migrations set name = 'other' where migration_id = 1`,
      ).pipe(Effect.provide(owner, { local: true }))
      yield* PlatformDatabase.use((sql) => sql`update accounts set schema_version = 0 where id = ${id}`)
    }),
}

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("an account with", (it) => {
  it.effect.each(Object.entries(breakers))("%s is unavailable, and can be changed and deleted", ([what, damage]) =>
    Effect.gen(function* () {
      const directory = yield* AccountDirectory
      const provisioning = yield* Provisioning
      const tenants = yield* TenantDatabases
      const slug = what.replaceAll(" ", "-")
      const entry = yield* newAccount(slug)
      const sound = yield* newAccount(`${slug}-not`)
      yield* damage(entry)
      yield* directory.forget(slug)

      const opened = yield* Effect.exit(Effect.scoped(Effect.flatMap(directory.find(slug), tenants.open)))
      assert.include(String(Exit.isFailure(opened) && opened.cause), "AccountUnavailable")
      assert.includeMembers(
        (yield* directory.all).map(({ account }) => account.slug),
        [slug, sound.account.slug],
      )
      assert.deepStrictEqual(yield* within(sound)(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select`)), [{}])

      const changed = yield* provisioning.update(slug, ({ account }) =>
        Effect.succeed({ ...account, calls_per_day: 7 }),
      )
      assert.strictEqual(changed.account.calls_per_day, 7)
      yield* provisioning.drop(slug)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(directory.find(slug))))
    }),
  )
})

const own = new URL(inject("postgres"))
own.pathname = `/parley_broken_${randomBytes(4).toString("hex")}`

/** Runs statements as a superuser. */
const query = async (database: URL, statements: string) => {
  const client = new pg.Client({ connectionString: database.href })
  await client.connect()
  const { rows } = await client.query(statements)
  await client.end()
  return rows
}

const databaseOf = async (slug: string): Promise<string> =>
  (await query(own, `select database from accounts where slug = '${slug}'`))[0].database

it.layer(TestServer.layerWith({ DATABASE_URL: own.href }), { timeout: "120 seconds", excludeTestServices: true })(
  "requests of an account",
  (it) => {
    it.effect("get a 503 that says to try again if the disk of its PostgreSQL server is full", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        yield* Effect.promise(async () => {
          const owner = await server.ownerOf("full")
          const database = new URL(own)
          database.pathname = `/${await databaseOf("full")}`
          const run = (statements: string) => query(database, statements)
          await run(`
            create function fill() returns trigger language plpgsql as $$ begin
              raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
            create trigger fill before insert on faqs for each row execute function fill()`)
          const faq = { question: "When are you open?", answer: "From nine to five." }
          const answer = await owner.post("/api/faqs", faq)
          refused(answer, 503, "unavailable")
          assert.isNotNull(answer.headers.get("retry-after"))
          await run("drop trigger fill on faqs; drop function fill")
          assert.strictEqual((await owner.post("/api/faqs", faq)).status, 201)
        })
      }),
    )

    it.effect(
      "whose database was removed get a 503 also while its pool is open, until an administrator deletes it",
      () =>
        Effect.gen(function* () {
          const server = yield* TestServer
          yield* Effect.promise(async () => {
            const owner = await server.ownerOf("removed")
            assert.strictEqual((await owner.get("/api/agents")).status, 200)
            await query(own, `drop database "${await databaseOf("removed")}" with (force)`)
            const answer = await owner.get("/api/agents")
            assert.strictEqual(answer.status, 503, JSON.stringify(answer.body))
            assert.isNotNull(answer.headers.get("retry-after"))
            await until(async () => (await owner.get("/api/agents")).body.code === "account_unavailable")
            refused(await owner.get("/api/agents"), 503, "account_unavailable")
            const admin = await server.admin()
            assert.strictEqual((await admin.delete("/api/admin/accounts/removed")).status, 204)
            refused(await owner.get("/api/agents"), 404, "account_not_found")
          })
        }),
    )
  },
)
