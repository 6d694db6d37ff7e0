/** A whole installation is backed up and restored on a new server with the commands of docs/operations.md. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { campaigner } from "../support/Campaigner.ts"
import { debianPostgres, type DebianPostgres, debianPostgresFault } from "../support/DebianPostgres.ts"
import { runDocumented } from "../support/Documented.ts"
import { made } from "../support/Fixtures.ts"
import { refused } from "../support/Problems.ts"
import { emptyFolder, type Process, start } from "../support/Process.ts"
import { speak } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const numbers = Array.from({ length: 40 }, (_, at) => `+12125551${String(at).padStart(3, "0")}`)

/** The privileges of the accounts' group, and of PUBLIC, in a database. */
const privilegesIn = (server: DebianPostgres, database: string) => ({
  tables: server.asSuperuser(
    `select relname, privilege_type from pg_class, aclexplode(relacl) where relnamespace = 'public'::regnamespace
     and grantee = 'parley_tenant'::regrole order by 1, 2`,
    database,
  ),
  defaults: server.asSuperuser(
    `select defaclobjtype, privilege_type, grantee::regrole from pg_default_acl, aclexplode(defaclacl) order by 1, 2, 3`,
    database,
  ),
  database: server.asSuperuser(
    `select privilege_type, replace(grantee::regrole::text, datname, 'itself') from pg_database, aclexplode(datacl)
     where datname = '${database}' and grantee <> datdba order by 1, 2`,
  ),
})

describe.skipIf(debianPostgresFault !== undefined)("a backup that is restored on a new server", () => {
  const servers: Array<DebianPostgres> = []
  const parleys: Array<Process> = []
  const backup = mkdtempSync(join(tmpdir(), "parley-backup-"))
  const env = { PARLEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"), LAB_SPEED: "20" }

  /** The commands of that name, as an operator runs them beside Parley. */
  const run = (name: string, server: DebianPostgres, more: Record<string, string> = {}): string => {
    const settings = { ...env, DATABASE_URL: server.url, PARLEY_DATA_DIR: emptyFolder() }
    const { code, err, out } = runDocumented(name, { ...server.env, ...settings, BACKUP: backup, ...more })
    assert.strictEqual(code, 0, err)
    return out
  }
  const startOn = async (server: DebianPostgres) => {
    const parley = start({ ...env, DATABASE_URL: server.url, PARLEY_DATA_DIR: emptyFolder() })
    parleys.push(parley)
    return { parley, http: speak(await parley.ready) }
  }
  const stop = async ({ child, ended }: Process) => {
    child.kill("SIGTERM")
    assert.strictEqual(await ended, 0)
  }

  beforeAll(async () => {
    servers.push(await debianPostgres(), await debianPostgres())
  }, 120_000)
  afterAll(() => {
    for (const { child } of parleys) child.kill("SIGKILL")
    for (const server of servers) server.stop()
  })

  it("opens its accounts, dials no contact until an administrator says so, and closes them to each other", async () => {
    const [old, fresh] = servers as [DebianPostgres, DebianPostgres]
    const before = await startOn(old)
    const owner = await before.http.ownerOf("acme", { concurrent_max: 5, calls_per_minute: 6_000 })
    const own = await campaigner(owner)
    const { id } = await own.running(numbers, { max_concurrent_calls: "2" })
    await own.until(id, ({ counts }) => counts.completed > 2)
    run("backup", old)
    await own.until(id, ({ counts }) => counts.completed > 6)
    await stop(before.parley)

    run("restore", fresh)
    const { http, parley } = await startOn(fresh)
    const restored = await http.ownerOf("acme")
    const again = await campaigner(restored)
    const held = await again.until(
      id,
      ({ counts, waiting_for }) => waiting_for === "restored" && counts.in_progress === 0,
    )
    assert.strictEqual(held.status, "running")
    const readiness = (await http.request("GET", "/readyz")).body as { checks: Record<string, string> }
    assert.match(String(readiness.checks["dialling"]), /restored from a backup.*: 2$/)
    const call = { agent_id: again.line.agent_id, phone_number_id: again.line.phone_number_id, to: "+12125551999" }
    assert.strictEqual(refused(await restored.post("/api/v1/calls", call), 409, "invalid_state")["state"], "restored")
    // Longer than a scheduled start or a waiting dialler takes.
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    assert.deepStrictEqual((await again.get(id)).counts, held.counts)

    // An account that was never restored shows what the privileges have to be.
    await http.ownerOf("newcomer")
    const [database = "", newcomer = ""] = fresh.asSuperuser(
      "select database from accounts where slug in ('acme', 'newcomer') order by slug",
      "parley",
    )
    assert.deepStrictEqual(privilegesIn(fresh, database), privilegesIn(fresh, newcomer))
    assert.deepStrictEqual(
      fresh.asSuperuser(
        `select has_database_privilege('${newcomer}', d, 'connect') from unnest('{parley,${database}}'::text[]) d`,
      ),
      ["f", "f"],
    )

    // One of the people who are not called yet has opted out since the backup.
    const [optedOut = ""] = numbers.slice(-1)
    const file = join(backup, "opt-outs.csv")
    writeFileSync(file, `phone_number\n${optedOut}\n`)
    const place = { PARLEY_URL: await parley.ready, PARLEY_TOKEN: restored.token, PARLEY_ACCOUNT: "acme" }
    assert.include(run("opt-outs", fresh, { ...place, OPT_OUTS: file }), '"added":1')

    assert.match(run("resume", fresh), /^Would set [^]*^Resumed acme/m)
    await again.until(id, ({ counts, waiting_for }) => waiting_for === null && counts.completed > held.counts.completed)
    made(await restored.put(`/api/v1/campaigns/${id}`, { max_concurrent_calls: 5 }))
    await again.ended(id)
    const { items } = made(await restored.get(`/api/v1/campaigns/${id}/contacts?status=skipped`))
    assert.deepStrictEqual(
      items.map(({ phone_number, skip_reason }) => [phone_number, skip_reason]),
      [[optedOut, "do_not_call"]],
    )
    await stop(parley)

    // What was resumed stays so; demo is still paused.
    const third = await startOn(fresh)
    const admin = await third.http.admin()
    await restoreAlone(fresh, await campaigner(await third.http.ownerOf("acme")), admin, id)
    const statuses = made(await admin.get("/api/admin/accounts")).items.map(({ slug, status }) => `${slug} ${status}`)
    assert.deepStrictEqual(statuses.toSorted(), ["acme active", "demo restored", "newcomer active"])
    await stop(third.parley)
  }, 600_000)

  /**
   * The account is suspended, and its database comes from the backup while Parley runs: then it dials on from there, also
   * a campaign that has ended since.
   */
  const restoreAlone = async (
    server: DebianPostgres,
    own: Awaited<ReturnType<typeof campaigner>>,
    admin: Awaited<ReturnType<Awaited<ReturnType<typeof startOn>>["http"]["admin"]>>,
    campaign: string,
  ) => {
    const before = (await own.get(campaign)).counts.completed
    made(await admin.put("/api/admin/accounts/acme", { status: "suspended" }))
    const database = server.asSuperuser("select database from accounts where slug = 'acme'", "parley")[0] ?? ""
    await until(() => server.asSuperuser("select count(*) from live_calls", database)[0] === "0")
    run("one-account", server)
    await until(() => privilegesIn(server, database).database.length === 1)
    made(await admin.put("/api/admin/accounts/acme", { status: "active" }))
    const counts = await until(async () => {
      const { body, status } = await own.client.get(`/api/v1/campaigns/${campaign}`)
      return status === 200 && body.counts
    })
    assert.isBelow(counts.completed, before)
    await own.until(campaign, (now) => now.waiting_for === null && now.counts.completed > counts.completed)
  }
})
