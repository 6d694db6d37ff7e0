/** An account is moved in a file: from PostgreSQL 18 as a superuser to Debian's with the documented role and another key. */
import { afterAll, assert, beforeAll, describe, inject, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import pg from "pg"
import { campaigner } from "../support/Campaigner.ts"
import { command } from "../support/Command.ts"
import { debianPostgres, type DebianPostgres, debianPostgresFault } from "../support/DebianPostgres.ts"
import { runDocumented } from "../support/Documented.ts"
import { everything, made } from "../support/Fixtures.ts"
import { emptyFolder, type Process, start } from "../support/Process.ts"
import { speak } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const passphrase = "a passphrase for the archive"
const sound = Buffer.concat([Buffer.from("RIFF"), randomBytes(70_000)])

/** The files of an archive, as any program for tar sees them. */
const filesOf = (archive: string): ReadonlyMap<string, Buffer> => {
  const folder = emptyFolder()
  execFileSync("tar", ["xzf", archive, "-C", folder])
  const names = readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))
    .toSorted()
  return new Map(names.map((name) => [name.slice(folder.length + 1), readFileSync(name)]))
}

describe.skipIf(debianPostgresFault !== undefined)("an account that moves", () => {
  const folder = emptyFolder()
  const archive = join(folder, "acme.tar.gz")
  const key = () => randomBytes(32).toString("base64")
  const oldUrl = new URL(inject("postgres"))
  oldUrl.pathname = `/parley_move_${randomBytes(4).toString("hex")}`
  const old = { DATABASE_URL: oldUrl.href, PARLEY_ENCRYPTION_KEY: key(), PARLEY_DATA_DIR: emptyFolder() }
  let server: DebianPostgres
  let fresh = old
  const parleys: Array<Process> = []
  const serve = async (env: Record<string, string>) => {
    const parley = start({ ...env, LAB_SPEED: "20", DATABASE_MAX_CONNECTIONS: "8" })
    parleys.push(parley)
    return { parley, http: speak(await parley.ready) }
  }
  const stop = async ({ child, ended }: Process) => {
    child.kill("SIGTERM")
    await ended
  }
  const run = (env: Record<string, string>, ...args: ReadonlyArray<string>) =>
    command({ ...env, PARLEY_ARCHIVE_PASSPHRASE: passphrase }, ["accounts", ...args])
  /** The commands of docs/operations.md, run where the archive is. */
  const documentedWith = (env: Record<string, string>, name: string) =>
    runDocumented(name, { ...env, PARLEY_ARCHIVE_PASSPHRASE: passphrase }, folder)
  const asOwner = async (env: Record<string, string>, database: string | undefined, text: string) => {
    const url = new URL(env["DATABASE_URL"] ?? "")
    if (database !== undefined) url.pathname = `/${database}`
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    return client.query(text).finally(() => client.end())
  }
  const accountOf = async (env: Record<string, string>, slug: string): Promise<{ id: string; database: string }> =>
    (await asOwner(env, undefined, `select id, database from accounts where slug = '${slug}'`)).rows[0]
  const databases = () => server.asSuperuser("select datname from pg_database where datname ~ '^parley_[0-9a-f]{16}$'")

  beforeAll(async () => {
    server = await debianPostgres()
    fresh = { DATABASE_URL: server.url, PARLEY_ENCRYPTION_KEY: key(), PARLEY_DATA_DIR: emptyFolder() }
  }, 60_000)
  afterAll(() => {
    for (const { child } of parleys) child.kill("SIGKILL")
    server.stop()
  })

  it("opens elsewhere with the same content, its keys and its secrets, and does not dial", async () => {
    const { http, parley } = await serve(old)
    const owner = await http.ownerOf("acme", { concurrent_max: 5, calls_per_minute: 6_000 })
    const all = await everything(owner, "acme")
    const own = await campaigner(owner)
    const numbers = Array.from({ length: 12 }, (_, at) => `+12125551${String(at).padStart(3, "0")}`)
    const { id: ended } = await own.running(numbers, { max_concurrent_calls: "5" })
    await own.ended(ended)
    made(await owner.post("/api/v1/suppressions", { phone_number: "+12125550999" }))
    made(await owner.delete("/api/v1/people/%2B12125550999"))
    made(await owner.post("/api/v1/suppressions", { phone_number: "+12125550998", subject: "Energy" }))
    made(
      await owner.post("/api/tools", {
        name: "crm",
        description: 'Asks the "CRM"\\\n\u0001\u2028',
        implementation_type: "http",
        implementation_config: { method: "GET", url: "https://crm.example", headers: { "X-Key": "hush hush" } },
        schema: { type: "object", properties: { z: { type: "string" }, a: { type: "string" } } },
      }),
    )
    const { rows: calls } = await asOwner(
      old,
      (await accountOf(old, "acme")).database,
      "insert into recordings (id, call_id, host) select id, id, 'there' from calls where campaign_id is not null limit 2 returning id",
    )
    const { id } = await accountOf(old, "acme")
    const file = (env: Record<string, string>, account: string, call: string) =>
      join(env["PARLEY_DATA_DIR"] ?? "", "recordings", account, call.slice(-2), `${call}.wav`)
    const [recorded = "", lost = ""] = calls.map((row) => String(row["id"]))
    mkdirSync(dirname(file(old, id, recorded)), { recursive: true })
    writeFileSync(file(old, id, recorded), sound)
    const { id: running } = await own.running(numbers, { max_concurrent_calls: "1" })
    const admin = await http.admin()
    made(await admin.put("/api/admin/accounts/acme", { status: "suspended" }))
    const secret = all.webhook.secret

    // A call in progress is not cut in two.
    const wrote = await until(async () => {
      const tried = documentedWith(old, "export")
      return /call of acme is in progress/.test(tried.err) ? false : tried
    })
    assert.strictEqual(wrote.code, 0, wrote.err)
    assert.match(wrote.out, /^Wrote acme to .*: [\d,]+ rows and 1 recordings/)
    assert.match(wrote.err, /The sound of 1 recordings is neither on this machine nor in a bucket/)
    assert.match((await run(old, "export", "acme", "--to", archive)).err, /exists\. Name another file/)
    await stop(parley)

    const files = filesOf(archive)
    const everythingWritten = Buffer.concat([...files.values()])
    assert.deepStrictEqual(files.get(`recordings/${recorded}.wav`), sound)
    assert.isFalse(files.has(`recordings/${lost}.wav`))
    for (const hidden of [old.PARLEY_ENCRYPTION_KEY, passphrase, "hush hush", String(secret), "+12125550999"]) {
      assert.notInclude(everythingWritten.toString("latin1"), hidden)
    }

    const target = await serve(fresh)
    assert.strictEqual((await run(fresh, "import", archive, "--dry-run")).code, 0)
    assert.deepStrictEqual(databases().length, 1)
    const imported = documentedWith(fresh, "import")
    assert.strictEqual(imported.code, 0, imported.err)
    assert.match(imported.out, /^Would import acme: [\d,]+ rows and 1 recordings\.$/m)
    assert.match(imported.out, /^Imported acme: .*It is paused: `parley accounts resume acme` lets it dial\./m)
    assert.match((await run(fresh, "import", archive)).err, /Another account has the name acme/)

    // The key of the account's own, and what it may read there.
    const asKey = { token: all.apiKey.key, account: "acme" }
    const agents = made(await target.http.request("GET", "/api/agents", asKey))
    assert.isTrue(agents.items.some(({ name }) => name === "agent-acme"))
    const there = await target.http.ownerOf("acme")
    const seen = await (await campaigner(there)).get(ended)
    assert.strictEqual(seen.counts.completed, 12)
    const held = await there.get(`/api/v1/campaigns/${running}`)
    assert.strictEqual(made(held).status, "running")
    const { body } = await there.post("/api/v1/calls", { ...own.line, to: "+12125550111" })
    assert.strictEqual((body as { state?: string }).state, "restored")
    const { id: idThere } = await accountOf(fresh, "acme")
    assert.strictEqual(idThere, id)
    // Before it is listened to, which mends the header.
    assert.deepStrictEqual(readFileSync(file(fresh, idThere, recorded)), sound)
    assert.strictEqual((await there.get(`/api/v1/calls/${recorded}/recording`)).status, 200)
    const verified = await command(fresh, ["verify", "--account", "acme"])
    assert.strictEqual(verified.code, 0, verified.out + verified.err)
    // The digest of the erased person is still found with the account's key.
    assert.strictEqual((await there.delete("/api/v1/suppressions/%2B12125550999")).status, 204)
    assert.strictEqual((await there.delete("/api/v1/suppressions/%2B12125550998?subject=energy")).status, 204)
    await stop(target.parley)
  }, 240_000)

  it("has the same content in a second archive of the new place", async () => {
    const again = join(folder, "again.tar.gz")
    const copy = await run(fresh, "import", archive, "--as", "acme-2")
    assert.strictEqual(copy.code, 0, copy.err)
    assert.match(copy.err, /widget keys do not work/)
    assert.match(copy.err, /X-Account-ID: acme-2/)
    const wrote = await run(fresh, "export", "acme-2", "--to", again)
    assert.strictEqual(wrote.code, 0, wrote.err)
    const [before, after] = [filesOf(archive), filesOf(again)]
    assert.deepStrictEqual([...after.keys()], [...before.keys()])
    const different = [...before]
      .filter(([name, content]) => !content.equals(after.get(name) ?? Buffer.alloc(0)))
      .map(([name]) => name)
    // Where the sound is, the account's new name, and the seal.
    assert.deepStrictEqual(different, ["account.json", "data/recordings-00001.jsonl", "manifest.hmac", "manifest.json"])
  }, 60_000)

  it("leaves nothing and can be run again, wherever it is killed", async () => {
    const before = databases()
    const began = performance.now()
    assert.strictEqual((await run(fresh, "import", archive, "--as", "measured")).code, 0)
    const whole = performance.now() - began
    for (const share of [0.6, 0.85]) {
      const { code } = await command(
        { ...fresh, PARLEY_ARCHIVE_PASSPHRASE: passphrase },
        ["accounts", "import", archive, "--as", "killed"],
        whole * share,
      )
      if (code === 0) break
      assert.strictEqual(code, "SIGKILL")
    }
    const last = await run(fresh, "import", archive, "--as", "killed")
    if (last.code !== 0) assert.match(last.err, /Another account has the name killed/)
    assert.strictEqual(databases().length, before.length + 2)
    assert.deepStrictEqual(server.asSuperuser("select database from unfinished_databases", "parley"), [])
  }, 120_000)

  it("is refused if the archive is not whole, or not what was written", async () => {
    const before = databases()
    const file = join(folder, "bad.tar.gz")
    const whole = readFileSync(archive)
    writeFileSync(file, whole.subarray(0, whole.length / 2))
    assert.match((await run(fresh, "import", file, "--as", "bad")).err, /ends too early/)
    const importWith = (given: string) =>
      command({ ...fresh, PARLEY_ARCHIVE_PASSPHRASE: given }, ["accounts", "import", archive, "--as", "bad"])
    assert.match((await importWith("another passphrase")).err, /the passphrase is another one/)
    assert.match((await importWith("short")).err, /at least 16 characters/)
    assert.deepStrictEqual(databases(), before)
  }, 120_000)
})
