/** Accounts on a second PostgreSQL server, beside the platform's own: what works there, and a server that does not answer. */
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { command } from "../support/Command.ts"
import { type DebianPostgres, debianPostgresFault } from "../support/DebianPostgres.ts"
import { runDocumented } from "../support/Documented.ts"
import { made } from "../support/Fixtures.ts"
import { refused } from "../support/Problems.ts"
import { closedServer, databasesOn, type Installation, installationOn, urlAt } from "../support/TwoServers.ts"
import { until } from "../support/Until.ts"

describe.skipIf(debianPostgresFault !== undefined)(
  "an account on another PostgreSQL server than the platform's",
  () => {
    let home: DebianPostgres
    let away: DebianPostgres
    let own: Installation
    beforeAll(async () => {
      ;[home, away] = [await closedServer(), await closedServer()]
      own = await installationOn(home, away)
    }, 120_000)
    afterEach(() => own.stopParleys())
    afterAll(() => {
      own.kill()
      for (const server of [home, away]) server.stop()
    })

    it("is created, served, paused after a restore, re-keyed, repaired and deleted there", async () => {
      const { env, inPlatform, key, run, startParley, succeed, whereIs } = own
      const { http } = await startParley()
      // The commands of docs/operations.md.
      await http.ownerOf("acme")
      const connection = { PGHOST: "127.0.0.1", PGPORT: urlAt(away, "parley", "").port, PGPASSWORD: "secret" }
      const said = [runDocumented("servers", { ...env, ...connection }), runDocumented("move", env)]
      for (const { code, err } of said) assert.strictEqual(code, 0, err)
      for (const slug of ["acme", "umbrella"]) assert.strictEqual((await whereIs(slug)).server, "pg2")

      await succeed("accounts", "create", "eu", "--server", "pg2")
      const owner = await http.ownerOf("eu")
      const { database } = await whereIs("eu")
      assert.deepStrictEqual(databasesOn(home, database), [])
      made(await owner.post("/api/agents", { name: "there", system_prompt: "You are kind." }))
      assert.match(await succeed("accounts", "list"), /^eu +active .* pg2 /m)
      assert.match(await succeed("doctor"), /^ok +server pg2, version: /m)
      assert.match((await run("servers", "remove", "pg2")).err, /The server pg2 has accounts/)

      // A copy of the database, as `pg_restore` makes one, has another OID than a look has found before.
      const noted = "select from accounts where slug = 'eu' and database_oid is not null"
      await until(async () => (await inPlatform(noted)).length === 1)
      away.asSuperuser(`alter database "${database}" allow_connections false`)
      away.asSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`)
      away.asSuperuser(`create database restored template "${database}" owner parley`)
      away.asSuperuser(`drop database "${database}" with (force)`)
      away.asSuperuser(`alter database restored rename to "${database}"`)
      await until(async () => (await whereIs("eu")).status === "restored")
      await until(async () => (await owner.get("/api/agents")).status === 200)
      await succeed("accounts", "resume", "eu")
      assert.strictEqual((await whereIs("eu")).status, "active")
      await own.stopParleys()

      away.asSuperuser(`revoke connect on database "${database}" from "${database}"`)
      assert.match(await succeed("repair"), /^eu has lost its role or its privileges, which are made again\.$/m)

      const rotated = {
        ...env,
        PARLEY_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
        PARLEY_ENCRYPTION_KEY_SECOND: key,
      }
      away.crash()
      const unreached = await command(rotated, ["rotate-key"])
      assert.strictEqual(unreached.code, 1)
      assert.match(unreached.err, /The servers of these accounts do not answer: acme, umbrella, eu\./)
      away.restart()
      assert.match((await command(rotated, ["rotate-key"])).out, /data keys 3, URLs of servers 0/)
      env["PARLEY_ENCRYPTION_KEY"] = rotated.PARLEY_ENCRYPTION_KEY

      const present = await (await startParley()).http.ownerOf("eu")
      const agents = made(await present.get("/api/agents")).items
      assert.lengthOf(
        agents.filter(({ name }) => name === "there"),
        1,
      )
      await succeed("accounts", "delete", "eu", "--yes")
      assert.deepStrictEqual(databasesOn(away, database), [])
      assert.isUndefined(await whereIs("eu"))
      assert.lengthOf(await inPlatform("select from unfinished_databases"), 0)
    }, 300_000)

    it("answers 503 while its server is away, also if that hangs, and no other account slows", async () => {
      const third = await closedServer()
      const { http } = await own.startParley()
      const at3 = { ...own.env, PARLEY_SERVER_URL: urlAt(third, "parley", "postgres").href }
      assert.strictEqual((await command(at3, ["servers", "set", "pg3"])).code, 0)
      const slugs = ["far-1", "far-2", "far-3", "far-4", "far-5", "far-6"]
      for (const slug of slugs) await own.succeed("accounts", "create", slug, "--server", "pg3")
      const near = await http.ownerOf("near")
      const all = await Promise.all(slugs.map((slug) => http.ownerOf(slug)))
      const askAll = () => Promise.all(all.map((far) => far.get("/api/agents")))
      for (const { status } of await askAll()) assert.strictEqual(status, 200)
      const serversOf = async () =>
        ((await http.request("GET", "/readyz")).body as { readonly checks?: { readonly servers?: string } }).checks
          ?.servers
      assert.strictEqual(await serversOf(), "ok")
      const isSilent = () =>
        until(async () => (await serversOf()) === "registered PostgreSQL servers that do not answer: 1")

      const waiting: Array<Promise<unknown>> = []
      /** Asks the near account until `isOver`, while the far ones are asked all the time. Returns its slowest answer. */
      const slowestWhile = async (isOver: () => Promise<unknown>) => {
        const asking = { goesOn: true }
        // A request whose statement was sent already waits until the server goes on.
        const far = (async () => {
          while (asking.goesOn) {
            for (const client of all) waiting.push(client.get("/api/agents"))
            await sleep(250)
          }
        })()
        let slowest = 0
        const nearby = (async () => {
          while (asking.goesOn) {
            const began = performance.now()
            assert.strictEqual((await near.get("/api/agents")).status, 200)
            slowest = Math.max(slowest, performance.now() - began)
            await sleep(10)
          }
        })()
        try {
          await Promise.race([isOver(), nearby])
        } finally {
          asking.goesOn = false
        }
        await Promise.all([far, nearby])
        return slowest
      }

      const pids = [third.pid(), ...third.asSuperuser("select pid from pg_stat_activity").map(Number)]
      const signal = (name: NodeJS.Signals) => {
        for (const pid of pids) {
          try {
            process.kill(pid, name)
          } catch {
            // The session has ended meanwhile.
          }
        }
      }
      signal("SIGSTOP")
      const slowest = await slowestWhile(async () => {
        await isSilent()
        for (const answer of await askAll()) refused(answer, 503, "account_unavailable")
      }).finally(() => signal("SIGCONT"))
      // A request waits ten seconds for a connection. This leaves room for a busy machine.
      assert.isBelow(slowest, 5_000)
      await until(async () => (await askAll()).every(({ status }) => status === 200))
      await until(async () => (await serversOf()) === "ok")
      await Promise.all(waiting.splice(0))

      third.crash()
      await slowestWhile(isSilent)
      for (const answer of await askAll()) refused(answer, 503, "account_unavailable")
      assert.strictEqual((await http.request("GET", "/readyz")).status, 200)
      const metrics = await http.request("GET", "/metrics")
      assert.include(String(metrics.body), 'parley_database_server_up{server="pg3"} 0')
      assert.match((await own.run("doctor")).out, /^problem +server pg3, connection: It cannot be used/m)
      // A start beside it does not wait for it, and its accounts are back with it.
      await own.stopParleys()
      const again = (await own.startParley()).http
      refused(await (await again.ownerOf("far-1")).get("/api/agents"), 503, "account_unavailable")
      third.restart()
      await until(async () => (await (await again.ownerOf("far-1")).get("/api/agents")).status === 200)
      third.stop()
    }, 300_000)
  },
)
