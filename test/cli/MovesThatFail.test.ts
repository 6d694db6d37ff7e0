/** What goes wrong while an account moves to another PostgreSQL server: the account stays where it is, and works. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { command } from "../support/Command.ts"
import { type DebianPostgres, debianPostgresFault } from "../support/DebianPostgres.ts"
import { refused } from "../support/Problems.ts"
import type { Client } from "../support/TestServer.ts"
import { closedServer, databasesOn, hold, type Installation, installationOn } from "../support/TwoServers.ts"
import { urlAt, waitsForLock } from "../support/TwoServers.ts"
import { until } from "../support/Until.ts"

type Http = Awaited<ReturnType<Installation["startParley"]>>["http"]

describe.skipIf(debianPostgresFault !== undefined)("a move to another PostgreSQL server that cannot be done", () => {
  let home: DebianPostgres
  let away: DebianPostgres
  let own: Installation
  let http: Http
  let owner: Client
  let database: string
  beforeAll(async () => {
    ;[home, away] = [await closedServer(), await closedServer()]
    own = await installationOn(home, away)
    http = (await own.startParley()).http
    await own.succeed("servers", "set", "pg2")
    owner = await http.ownerOf("acme")
    database = (await own.whereIs("acme")).database
  }, 240_000)
  afterAll(async () => {
    await own.stopParleys()
    for (const server of [home, away]) server.stop()
  })

  const move = (...more: ReadonlyArray<string>) => own.run("accounts", "move", "acme", "--to", "pg2", ...more)
  /** The account works where it was, and nothing is left of the move. */
  const isUndone = async () => {
    await until(async () => (await own.moveOf("acme")) === undefined)
    await until(async () => (await owner.get("/api/agents")).status === 200)
    assert.deepInclude(await own.whereIs("acme"), { server: null, moving: null, status: "active" })
    assert.deepStrictEqual(databasesOn(home, database), [database, `role ${database}`])
    assert.deepStrictEqual(databasesOn(away, database), [])
  }

  it("is refused with one sentence if the target's role or password is wrong", async () => {
    away.asSuperuser("alter role parley nocreatedb")
    const lacking = await move()
    assert.match(lacking.err, /^problem +role: /m)
    assert.match(lacking.err, /The target has problems; they are in the lines above\. Nothing was changed\.\n$/)
    away.asSuperuser("alter role parley createdb password 'another'")
    assert.match(
      (await move()).err,
      /^The server pg2, or the account's own, cannot be used: password authentication failed for user "parley"\. Nothing was changed\.\n$/,
    )
    away.asSuperuser("alter role parley password 'secret'")
    assert.match((await own.run("accounts", "move", "acme", "--to", "pg9")).err, /no PostgreSQL server named pg9/)
    await isUndone()
  }, 180_000)

  it("is refused if both names mean the same server, also if the server does not say which one it is", async () => {
    const set = (name: string, server: DebianPostgres) => {
      const url = urlAt(server, "parley", "postgres")
      url.hostname = "localhost"
      return command({ ...own.env, PARLEY_SERVER_URL: url.href }, ["servers", "set", name])
    }
    for (const hides of [false, true]) {
      for (const server of [home, away]) {
        if (hides) server.asSuperuser("revoke execute on function pg_control_system() from public")
      }
      assert.match((await set("pg3", away)).err, /This is the server pg2, or a copy of it\. Nothing was changed\./)
      assert.match((await set("pg3", home)).err, /This is the server platform, or a copy of it\./)
    }
    await isUndone()
  }, 180_000)

  it("is refused while a process of an earlier release runs, which would not hear of it", async () => {
    await own.inPlatform("insert into nodes (id, seen_at) values (gen_random_uuid(), now() + interval '1 hour')")
    assert.match((await move()).err, /A process of an earlier release runs/)
    assert.match(
      (await own.run("accounts", "create", "early", "--server", "pg2")).err,
      /A process of an earlier release/,
    )
    await own.inPlatform("delete from nodes where platform_schema is null")
    await isUndone()
  }, 180_000)

  it("is refused while another command moves the account, and so are its deletion and a rotation of keys", async () => {
    const { running, table } = await own.whileCopied("acme")
    assert.match((await move()).err, /Another process is moving the account at this moment/)
    assert.match((await own.run("accounts", "move", "acme", "--abandon")).err, /Another process is moving the account/)
    refused(await (await http.admin()).delete("/api/admin/accounts/acme"), 409, "in_use")
    assert.match((await own.run("rotate-key")).err, /An account is being moved to another server/)
    assert.match((await own.run("servers", "remove", "pg2")).err, /unfinished moves or creations: 1/)
    assert.match(await own.succeed("accounts", "list"), /^acme .*moving \(away\)/m)
    assert.propertyVal(refused(await owner.get("/api/agents"), 503, "account_unavailable"), "reason", "moving")
    running.child.kill("SIGINT")
    assert.strictEqual((await running.answer).code, 1)
    await table.release()
    await isUndone()
  }, 180_000)

  it("is not finished by a command that stood still so long that a process has undone its move", async () => {
    const { running, table } = await own.whileCopied("acme")
    running.child.kill("SIGSTOP")
    await table.release()
    await isUndone()
    running.child.kill("SIGCONT")
    assert.strictEqual((await running.answer).code, 1)
    await isUndone()
  }, 180_000)

  it("is refused if the account's deletion has begun, also in the same moment", async () => {
    const row = await hold(
      home,
      "parley",
      "update accounts set deletion_began_at = clock_timestamp() where slug = 'acme'",
    )
    const moving = own.move("acme")
    await waitsForLock(home)
    await row.commit()
    const { code, err } = await moving.answer
    assert.strictEqual(code, 1)
    assert.match(err, /The account is being deleted\./)
    await until(async () => (await own.whereIs("acme")) === undefined)
    assert.deepStrictEqual([...databasesOn(home, database), ...databasesOn(away, database)], [])
    owner = await http.ownerOf("acme")
    database = (await own.whereIs("acme")).database
  }, 180_000)

  it("is undone if the target has no space left", async () => {
    // A file larger than the segments of the write-ahead log, which are within the limit.
    home.asSuperuser(
      `insert into event_batches (first_seq, type, subject_ids, created_at)
       select n, 'call.ended', array(select gen_random_uuid() from generate_series(1, 60)), now() from generate_series(1, 20000) n`,
      database,
    )
    away.limitFiles("17000000")
    const { code, err } = await move()
    away.limitFiles("unlimited")
    assert.strictEqual(code, 1)
    assert.match(err, /could not extend file/)
    await isUndone()
    home.asSuperuser("truncate event_batches", database)
  }, 240_000)

  it("gives the account back at once if the target disappears, and clears up there once it is back", async () => {
    const { running } = await own.whileCopied("acme")
    away.crash()
    const { code, err } = await running.answer
    assert.strictEqual(code, 1)
    assert.match(err, /The account is on platform and works\. What the move created on pg2 could not be dropped/)
    await until(async () => (await owner.get("/api/agents")).status === 200)
    assert.match((await move()).err, /^The server pg2, or the account's own, cannot be used/m)
    away.restart()
    await until(async () => (await own.moveOf("acme")) === undefined)
    await isUndone()
    assert.match((await move()).out, /^Moved acme to pg2/m)
  }, 240_000)
})
