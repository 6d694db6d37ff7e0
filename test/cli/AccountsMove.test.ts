/** `parley accounts move`: an account moves to a second PostgreSQL server under load, and moves that are killed. */
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { setTimeout as sleep } from "node:timers/promises"
import { campaigner } from "../support/Campaigner.ts"
import type { Running } from "../support/Command.ts"
import { type DebianPostgres, debianPostgresFault } from "../support/DebianPostgres.ts"
import { isLong } from "../support/Dose.ts"
import { made } from "../support/Fixtures.ts"
import { refused } from "../support/Problems.ts"
import type { Client } from "../support/TestServer.ts"
import { closedServer, databasesOn, type Held, hold, type Installation, installationOn } from "../support/TwoServers.ts"
import { lockCatalog, waitsForLock } from "../support/TwoServers.ts"
import { until } from "../support/Until.ts"
import { keyOf, sessionOf, visit } from "../support/WidgetPage.ts"

/** As fast as they can, they would take a core of the servers that they watch. */
const betweenAnswersMs = 10
const numbers = Array.from({ length: 60 }, (_, at) => `+12125551${String(at).padStart(3, "0")}`)

/** The second one is for the long dose: what a superuser may do besides changes nothing here. */
const roles = [
  { role: "the documented role", user: "parley", platform: "parley" },
  { role: "a superuser", user: "postgres", platform: "parley_super" },
].slice(0, isLong ? 2 : 1)

describe.skipIf(debianPostgresFault !== undefined)("an account that moves to another PostgreSQL server", () => {
  let home: DebianPostgres
  let away: DebianPostgres
  beforeAll(async () => {
    ;[home, away] = [await closedServer(), await closedServer()]
  }, 120_000)
  afterAll(() => {
    for (const server of [home, away]) server.stop()
  })

  describe.each(roles)("as $role", ({ platform, user }) => {
    let own: Installation
    beforeAll(async () => {
      own = await installationOn(home, away, { platform, user })
    })
    afterEach(() => own.stopParleys())
    afterAll(() => own.kill())

    it("loses and doubles no contact of a running campaign, and waits for the end of a chat, which goes on meanwhile", async () => {
      const { inPlatform, run, startParley, succeed, whereIs } = own
      const [first, second] = [await startParley(), await startParley()]
      const owner = await first.http.ownerOf("busy", { concurrent_max: 4, calls_per_minute: 6_000 })
      const busy = await campaigner(owner)
      const other = await second.http.ownerOf("busy")
      const bystander = await first.http.ownerOf("bystander")
      assert.match(await succeed("servers", "set", "pg2"), /^Registered the server pg2 at 127\.0\.0\.1:/)
      const { id } = await busy.running(numbers, { max_concurrent_calls: "2" })
      await busy.until(id, ({ counts }) => counts.completed > 4)
      const { database } = await whereIs("busy")
      const page = await visit(await sessionOf(second.http, await keyOf(owner, busy.line.agent_id)))
      await page.next("line")

      const live = await run("accounts", "move", "busy", "--to", "pg2")
      assert.strictEqual(live.code, 1)
      assert.match(live.err, /^Live calls: \d+\. Repeat the command with --drain/m)
      const plan = await succeed("accounts", "move", "busy", "--to", "pg2", "--drain", "--dry-run")
      assert.match(plan, /^Would move busy from/)
      assert.isNull((await whereIs("busy")).server)

      const seen = { asked: 0, moving: 0, others: [] as Array<unknown> }
      const watching = { goesOn: true }
      const watch = (async () => {
        for (; watching.goesOn; seen.asked++) {
          const { body, headers, status } = await (seen.asked % 2 === 0 ? owner : other).get("/api/agents")
          assert.strictEqual((await bystander.get("/api/agents")).status, 200)
          const { reason } = body as { readonly reason?: string }
          if (status === 503 && reason === "moving" && headers.get("retry-after") !== null) seen.moving++
          else if (status !== 200) seen.others.push([status, body])
          await sleep(betweenAnswersMs)
        }
      })()
      const moved = succeed("accounts", "move", "busy", "--to", "pg2", "--drain")
      // The campaign's calls have ended, and only the chat is left.
      await until(
        async () =>
          (await whereIs("busy")).moving === "draining" &&
          home.asSuperuser("select count(*) from live_calls", database)[0] === "1",
      )
      page.write("Are you still there?", "m1")
      assert.deepInclude(await page.next("line"), { by: "visitor" })
      assert.deepInclude(await page.next("line"), { by: "agent" })
      refused(await owner.post("/api/v1/calls", { ...busy.line, to: "+14155550100" }), 409, "invalid_state")
      page.send({ type: "end" })
      assert.match(await moved, /^Moved busy to pg2: [\d,]+ rows\. It was away for \d+\.\d s\.$/m)
      await until(async () => (await owner.get("/api/agents")).status === 200)
      watching.goesOn = false
      await watch
      assert.deepStrictEqual(seen.others, [])
      assert.isAbove(seen.moving, 0)

      assert.deepStrictEqual(databasesOn(home, database), [])
      assert.deepStrictEqual(databasesOn(away, database), [database, `role ${database}`])
      const { counts } = await busy.ended(id)
      assert.strictEqual(counts.total, numbers.length)
      assert.strictEqual(counts.pending + counts.in_progress, 0)
      assert.match(await succeed("verify"), /Each keeps its promises/)
      // Its role can open nothing on the server but its own database.
      const opened = `select datname from pg_database where has_database_privilege('${database}', datname, 'connect') and datallowconn`
      assert.deepStrictEqual(away.asSuperuser(opened), [database])
      const [entry] = await inPlatform("select changes from audit_entries where action = 'account.move'")
      assert.deepStrictEqual(entry.changes, [{ field: "server", before: "platform", after: "pg2" }])
    }, 600_000)

    describe("by a command that is killed", () => {
      let campaign: string
      let database: string

      /** For each step, begins a move and holds it there. */
      const steps: Record<string, () => Promise<{ readonly running: Running; readonly held: ReadonlyArray<Held> }>> = {
        "while it creates the database on the target": async () => {
          const catalog = await hold(away, "postgres", lockCatalog)
          const running = own.move("killed")
          await own.isStep("killed", "preparing")
          await waitsForLock(away)
          return { running, held: [catalog] }
        },
        "while the account drains": async () => {
          const running = own.move("killed")
          await own.isStep("killed", "draining")
          return { running, held: [] }
        },
        "while it sets the database aside": async () => {
          const running = own.move("killed")
          await own.isStep("killed", "draining")
          const catalog = await hold(home, "postgres", lockCatalog)
          await own.isStep("killed", "away")
          await waitsForLock(home)
          return { running, held: [catalog] }
        },
        "while it copies the rows": async () => {
          const { running, table } = await own.whileCopied("killed")
          return { running, held: [table] }
        },
        "with all rows on the target, before the directory says so": async () => {
          const { running, table } = await own.whileCopied("killed")
          const row = await hold(home, platform, "select from accounts where slug = 'killed' for no key update")
          await table.release()
          await waitsForLock(home)
          return { running, held: [row] }
        },
        "after the switch, before the old database is dropped": async () => {
          const { running, table } = await own.whileCopied("killed")
          const catalog = await hold(home, "postgres", lockCatalog)
          await table.release()
          await own.isStep("killed", "switched")
          return { running, held: [catalog] }
        },
      }
      const isUndone = () => until(async () => (await own.moveOf("killed")) === undefined)
      const kill = async (
        step: () => Promise<{ readonly running: Running; readonly held: ReadonlyArray<Held> }>,
        beforeRelease = () => Promise.resolve(true),
      ) => {
        const { held, running } = await step()
        running.child.kill("SIGKILL")
        assert.strictEqual((await running.answer).code, "SIGKILL")
        await beforeRelease()
        // What the killed command's sessions still wait for could take effect now.
        for (const { release } of held) await release()
      }
      /** Checks that nothing is lost and nothing left over. Returns whether the account is on `pg2`. */
      const isMovedWhole = async (client: Client) => {
        await until(async () => (await client.get("/api/agents")).status === 200)
        const path = `/api/v1/campaigns/${campaign}/contacts?page_size=100` as const
        assert.lengthOf(made(await client.get(path)).items, numbers.length)
        const isMoved = (await own.whereIs("killed")).server === "pg2"
        const [here, there] = isMoved ? [away, home] : [home, away]
        assert.deepStrictEqual(databasesOn(here, database), [database, `role ${database}`])
        assert.deepStrictEqual(databasesOn(there, database), [])
        return isMoved
      }

      beforeAll(async () => {
        const { http } = await own.startParley()
        await own.succeed("servers", "set", "pg2")
        const account = await campaigner(await http.ownerOf("killed", { concurrent_max: 4 }))
        campaign = (await account.draft(numbers)).id
        database = (await own.whereIs("killed")).database
        await own.stopParleys()
      }, 120_000)

      it.each(Object.entries(steps))(
        "%s, loses nothing: a running process undoes or finishes the move",
        async (name, step) => {
          const client = await (await own.startParley()).http.ownerOf("killed")
          // The move is undone although the rename still waits, which must not happen afterwards.
          await (name === "while it sets the database aside" ? kill(step, isUndone) : kill(step))
          await isUndone()
          if (await isMovedWhole(client)) {
            assert.match(await own.succeed("accounts", "move", "killed", "--to", "platform"), /^Moved killed/m)
            assert.isFalse(await isMovedWhole(client))
          }
          assert.match(await own.succeed("verify", "--account", "killed"), /Each keeps its promises/)
        },
        240_000,
      )

      it("is run again, or undone with --abandon, while no process runs", async () => {
        const copying = steps["while it copies the rows"] ?? assert.fail()
        await kill(copying)
        assert.match(await own.succeed("accounts", "list"), /killed .*moving \(away\)/)
        assert.match(await own.succeed("accounts", "move", "killed", "--abandon"), /^Undid the move of killed/)
        assert.strictEqual(await own.moveOf("killed"), undefined)
        assert.match((await own.run("accounts", "move", "killed", "--abandon")).err, /No move of the account/)
        const again = isLong ? Object.values(steps) : [copying, steps["while it sets the database aside"] ?? copying]
        for (const step of again) {
          await kill(step)
          assert.match(
            await own.succeed("accounts", "move", "killed", "--to", "pg2"),
            /^(Moved|Finished the move of) killed/m,
          )
          assert.match((await own.run("accounts", "move", "killed", "--abandon")).err, /No move of the account/)
          assert.match(await own.succeed("verify", "--account", "killed"), /Each keeps its promises/)
          assert.match(await own.succeed("accounts", "move", "killed", "--to", "platform"), /^Moved killed/m)
        }
        await kill(copying)
        assert.match(await own.succeed("repair"), /^killed was left by a move to another server, which is undone\.$/m)
        assert.isFalse(await isMovedWhole(await (await own.startParley()).http.ownerOf("killed")))
      }, 600_000)
    })
  })
})
