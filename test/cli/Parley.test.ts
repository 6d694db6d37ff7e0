/** The `parley` command on a server as operators have it, with the documented role. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { campaigner } from "../support/Campaigner.ts"
import { command } from "../support/Command.ts"
import { debianPostgres, type DebianPostgres, debianPostgresFault } from "../support/DebianPostgres.ts"
import { documented, runDocumented, runInShell } from "../support/Documented.ts"
import { emptyFolder, type Process, start } from "../support/Process.ts"
import { speak } from "../support/TestServer.ts"

const key = randomBytes(32).toString("base64")

it("changes nothing where there is no installation, and says so", async () => {
  const PARLEY_DATA_DIR = join(emptyFolder(), "none")
  const all = [["accounts", "list"], ["repair"], ["verify"], ["accounts", "create", "acme"]]
  for (const { code, err } of await Promise.all(all.map((args) => command({ PARLEY_DATA_DIR }, args)))) {
    assert.strictEqual(code, 1)
    assert.match(err, /^Parley cannot use the data folder .* it has no database\. Set DATABASE_URL or PARLEY_DATA_DIR/)
  }
  assert.strictEqual((await command({ PARLEY_DATA_DIR }, ["doctor"])).code, 0)
  assert.isFalse(existsSync(PARLEY_DATA_DIR))
})

it("is a program of the package, from any folder", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"))
  const program = join(process.cwd(), "bin", "parley")
  assert.include(execFileSync("sh", [program, "--version"], { cwd: emptyFolder(), encoding: "utf8" }), version)
})

it("refuses a server that it cannot reach, without the password", async () => {
  const env = (url: string) => ({ DATABASE_URL: url, PARLEY_ENCRYPTION_KEY: key, PARLEY_DATA_DIR: emptyFolder() })
  const unreachable = await command(env("postgres://parley:hidden@127.0.0.1:1/parley"), ["accounts", "list"])
  assert.strictEqual(unreachable.code, 1)
  assert.match(unreachable.err, /^Parley cannot use the PostgreSQL server at 127\.0\.0\.1:1: .*ECONNREFUSED/)
  const senseless = await command(env("parley:hidden"), ["doctor"])
  assert.strictEqual(senseless.code, 1)
  for (const { err, out } of [unreachable, senseless]) assert.notInclude(err + out, "hidden")
})

describe.skipIf(debianPostgresFault !== undefined)("on a server of an operator", () => {
  let server: DebianPostgres
  let parley: Process
  const env = (more: Record<string, string> = {}) => ({
    DATABASE_URL: server.url,
    PARLEY_ENCRYPTION_KEY: key,
    PARLEY_DATA_DIR: emptyFolder(),
    ...more,
  })
  const run = (...args: ReadonlyArray<string>) => command(env(), args)
  const json = async (...args: ReadonlyArray<string>) => JSON.parse((await run(...args, "--json")).out)
  const databaseOf = (slug: string) =>
    server.asSuperuser(`select database from accounts where slug = '${slug}'`, "parley")[0] ?? ""

  beforeAll(async () => {
    server = await debianPostgres({ fsync: "on" })
  }, 60_000)
  afterAll(() => {
    parley?.child.kill("SIGKILL")
    server.stop()
  })

  it("doctor examines the server before its first use, and says what to do", async () => {
    server.asSuperuser("alter role parley set synchronous_commit = off")
    const before = await run("doctor")
    server.asSuperuser("alter role parley reset synchronous_commit")
    assert.strictEqual(before.code, 1)
    assert.match(before.out, /^ok +role: The role parley may create databases and roles\.$/m)
    assert.match(before.out, /^problem +durability: synchronous_commit is off: .*Turn it on/m)
    assert.match(before.out, /^problem +connections: .*Lower DATABASE_MAX_CONNECTIONS/m)
    assert.match(before.out, /^warning +isolation: .*revoke connect on database postgres, template1 from public;/m)
    assert.match(before.out, /^ok +schema: The database parley does not exist yet/m)
    server.asSuperuser("alter role parley nocreaterole")
    const findings: ReadonlyArray<{ check: string; result: string; says: string }> = JSON.parse(
      (await command(env({ DATABASE_MAX_CONNECTIONS: "20" }), ["doctor", "--json"])).out,
    )
    server.asSuperuser("alter role parley createrole")
    const role = findings.find(({ check }) => check === "role")
    assert.strictEqual(role?.result, "problem")
    assert.match(
      role?.says ?? "",
      /may not create roles\. As a superuser, run: alter role "parley" createdb createrole;/,
    )
    assert.strictEqual(findings.find(({ check }) => check === "connections")?.result, "ok")
    assert.deepStrictEqual(server.asSuperuser("select datname from pg_database where datname ~ 'parley'"), [])
    for (const text of [before.out, before.err, JSON.stringify(findings)]) {
      assert.notInclude(text, "secret")
      assert.notInclude(text, key)
    }
  }, 60_000)

  it("accounts are listed, created and deleted beside a process that dials", async () => {
    assert.match(
      (await run("accounts", "list")).err,
      /The database parley has no installation that this release can use: it does not exist/,
    )
    parley = start({ ...env(), LAB_SPEED: "20", PARLEY_DATA_DIR: emptyFolder() })
    const http = speak(await parley.ready)
    const own = await campaigner(await http.ownerOf("busy", { concurrent_max: 5, calls_per_minute: 6_000 }))
    // More than it can dial before it is stopped below.
    const numbers = Array.from({ length: 1_000 }, (_, at) => `+12125551${String(at).padStart(3, "0")}`)
    const { id } = await own.running(numbers, { max_concurrent_calls: "2" })

    const planned = await run("accounts", "create", "acme", "--dry-run")
    assert.match(planned.out, /^Would create the account acme/)
    assert.strictEqual(databaseOf("acme"), "")
    assert.strictEqual((await run("accounts", "create", "acme", "--concurrent-max", "7")).code, 0)
    const again = await run("accounts", "create", "acme")
    assert.deepStrictEqual(
      [again.code, again.err],
      [1, "Another account has the name acme. Choose a different name.\n"],
    )
    assert.strictEqual((await run("accounts", "create", "Not a slug")).code, 1)
    assert.strictEqual((await run("accounts", "create", "platform-admin")).code, 1)
    assert.strictEqual(server.asSuperuser("select concurrent_max from budget", databaseOf("acme"))[0], "7")

    const listed: ReadonlyArray<{ slug: string; status: string; busy: boolean }> = await json("accounts", "list")
    assert.deepStrictEqual(
      listed.map(({ busy, slug, status }) => `${slug} ${status} ${busy}`),
      ["acme active false", "busy active true", "demo active false"],
    )
    assert.match((await run("accounts", "list")).out, /^ACCOUNT +STATE +SIZE +SCHEMA +BUSY +SERVER +DATABASE/)
    const busy = await run("accounts", "delete", "busy", "--yes")
    assert.strictEqual(busy.code, 1)
    assert.match(busy.err, /has a running campaign or a call in progress/)

    const unsure = await run("accounts", "delete", "acme")
    assert.match(unsure.err, /Repeat the command with --yes\.$/m)
    const database = databaseOf("acme")
    assert.strictEqual((await run("accounts", "delete", "acme", "--yes")).code, 0)
    assert.deepStrictEqual(server.asSuperuser(`select from pg_database where datname = '${database}'`), [])
    assert.match((await run("accounts", "delete", "acme", "--yes")).err, /There is no account acme/)

    // In the middle of the campaign, and after it.
    assert.deepStrictEqual((await json("verify")).violations, [])
    await own.operate(id, "stop")
    await own.until(id, ({ counts }) => counts.in_progress === 0)
    const { out } = await run("verify")
    assert.strictEqual(out, "Accounts checked: 2. Each keeps its promises (26 checks).\n")
  }, 180_000)

  it("receipts are written into a file, which proves them without the server", async () => {
    const folder = emptyFolder()
    const file = join(folder, "receipts.jsonl")
    assert.strictEqual((await run("receipts", "export", "--account", "busy", "--to-file", file)).code, 0)
    const verified = await command({ PARLEY_DATA_DIR: folder }, ["receipts", "verify", file, "--json"])
    const { faults, head, receipts, replayed } = JSON.parse(verified.out)
    assert.deepStrictEqual([verified.code, faults], [0, []])
    assert.isAbove(receipts, 0)
    assert.strictEqual(replayed, receipts)
    writeFileSync(file, readFileSync(file, "utf8").replace('"do_not_call":false', '"do_not_call":true'))
    const changed = await command({ PARLEY_DATA_DIR: folder }, ["receipts", "verify", file, "--head", head.hash])
    assert.strictEqual(changed.code, 1)
    assert.match(changed.out, /^receipt 1 in seal 1, call [-0-9a-f]{36}: it was changed$/m)
  }, 60_000)

  it("refuses the key of another installation", async () => {
    const PARLEY_ENCRYPTION_KEY = randomBytes(32).toString("base64")
    const all = [["accounts", "list"], ["repair"], ["verify"], ["accounts", "delete", "demo", "--yes"]]
    const answers = await Promise.all(all.map((args) => command(env({ PARLEY_ENCRYPTION_KEY }), args)))
    for (const { code, err } of answers) {
      assert.strictEqual(code, 1)
      assert.match(err, /^PARLEY_ENCRYPTION_KEY does not open the data keys in this database \(accounts: 2\)/)
      assert.notInclude(err, PARLEY_ENCRYPTION_KEY)
    }
    const { PARLEY_ENCRYPTION_KEY: _, ...keyless } = env()
    const { err } = await command(keyless, ["accounts", "list"])
    assert.match(err, /^PARLEY_ENCRYPTION_KEY is not set, and there is no file/)
    assert.isFalse(existsSync(join(keyless.PARLEY_DATA_DIR, "encryption.key")))
    assert.match((await command(env({ PARLEY_ENCRYPTION_KEY }), ["doctor"])).out, /opens 0 of 2 accounts/)
  }, 60_000)

  it("verify names the promise and the rows that break it, and reads only", async () => {
    const database = databaseOf("busy")
    const broken = [
      ["update budget set in_use = in_use + 1", "I3"],
      ["update campaign_progress set completed = completed + 1, total = total + 1", "I6"],
      ["delete from dial_records", "I11"],
      ["update receipt_seals set sealed_at = sealed_at + interval '1 microsecond' where number = 1", "receipts"],
      [
        "update event_batches set first_seq = first_seq + 1 where first_seq = (select max(first_seq) from event_batches)",
        "log",
      ],
      ["update contacts set attempts = attempts + 1 where position = (select min(position) from contacts)", "I5"],
    ] as const
    for (const [sql] of broken) server.asSuperuser(sql, database)
    const { code, out } = await run("verify", "--account", "busy", "--json")
    assert.strictEqual(code, 1)
    const found: ReadonlyArray<{ promise: string; evidence: ReadonlyArray<string> }> = JSON.parse(out).violations
    assert.includeMembers(
      found.map(({ promise }) => promise),
      broken.map(([, promise]) => promise),
    )
    assert.notInclude(out, "+1212555")
    const receipts = await run("receipts", "verify", "--account", "busy")
    assert.strictEqual(receipts.code, 1)
    assert.match(receipts.out, /^receipt 1 in seal 1: its decision is missing$/m)
    assert.match((await run("verify", "--account", "none")).err, /There is no account none/)
  }, 60_000)

  it("repair does what a start does: says it first, and can be killed and run again", async () => {
    parley.child.kill("SIGTERM")
    assert.strictEqual(await parley.ended, 0)
    const [busy, demo] = [databaseOf("busy"), databaseOf("demo")]
    server.asSuperuser(`drop owned by ${busy}; drop role ${busy}`, busy)
    server.asSuperuser(`update accounts set schema_version = 10 where slug = 'busy'`, "parley")
    server.asSuperuser(`update accounts set database_oid = 1 where slug = 'demo'`, "parley")
    // As if the process of an administrator's change had been killed before it copied them.
    server.asSuperuser("update accounts set calls_per_day = 77 where slug = 'busy'", "parley")
    server.asSuperuser(
      "insert into unfinished_databases select 'parley_half', oid from pg_database where datname = 'parley'",
      "parley",
    )
    const planned = await run("repair", "--dry-run", "--json")
    const faults = (text: string, list: "found" | "left") =>
      JSON.parse(text)[list].map(({ account, fault }: { account: string; fault: string }) => `${account} ${fault}`)
    const all = ["demo restored", "busy no_access", "parley_half unfinished", "busy old_schema", "busy old_caps"]
    assert.deepStrictEqual(faults(planned.out, "found"), all)
    assert.strictEqual(planned.code, 0)
    assert.deepStrictEqual(faults((await run("repair", "--dry-run", "--json")).out, "found"), all)
    for (const milliseconds of [300, 500, 600, 700]) await command(env(), ["repair"], milliseconds)
    const done = await run("repair", "--json")
    assert.deepStrictEqual([done.code, faults(done.out, "left")], [0, []])
    assert.strictEqual((await run("repair")).out, "There is nothing to repair.\n")
    assert.deepStrictEqual(server.asSuperuser("select calls_per_day from budget", busy), ["77"])
    assert.deepStrictEqual(
      server.asSuperuser(`select status, schema_version from accounts where database = '${demo}'`, "parley"),
      server.asSuperuser("select 'restored', max(migration_id) from schema_migrations", demo),
    )
  }, 120_000)

  it("resume lets restored accounts dial again, and no others", async () => {
    const status = () => server.asSuperuser("select slug, status from accounts order by slug", "parley")
    assert.deepStrictEqual(status(), ["busy|active", "demo|restored"])
    const refusals = [[], ["busy"], ["demo", "busy"], ["none"], ["demo", "--all"]]
    for (const { code } of await Promise.all(refusals.map((args) => run("accounts", "resume", ...args)))) {
      assert.strictEqual(code, 1)
    }
    assert.match((await run("accounts", "resume", "--all", "--dry-run")).out, /^Would set demo to active/)
    assert.deepStrictEqual(status(), ["busy|active", "demo|restored"])
    assert.match((await run("accounts", "resume", "demo")).out, /^Resumed demo/)
    assert.deepStrictEqual(status(), ["busy|active", "demo|active"])
    assert.strictEqual((await run("accounts", "resume", "--all")).out, "No account is restored.\n")
  }, 60_000)

  it("the commands of docs/operations.md run as they stand", () => {
    const own = env({ DATABASE_MAX_CONNECTIONS: "20" })
    assert.match(runDocumented("parley", own).out, /^ACCOUNT/m)
    server.asSuperuser(documented("isolation"))
    server.asSuperuser(documented("connections"))
    const settings = join(emptyFolder(), "parley.env")
    const lines = documented("settings")
      .replace(/^DATABASE_URL=.*$/m, `DATABASE_URL="${server.url}"`)
      .replace(/^PARLEY_ENCRYPTION_KEY=.*$/m, `PARLEY_ENCRYPTION_KEY=${key}\nDATABASE_MAX_CONNECTIONS=20`)
      .replace(/^PARLEY_DATA_DIR=.*$/m, `PARLEY_DATA_DIR=${emptyFolder()}`)
    writeFileSync(settings, lines)
    const checked = runInShell(documented("check").replace("/etc/parley.env", settings))
    assert.match(checked.out, /^ok +isolation: /m)
    assert.deepStrictEqual([checked.code, checked.out.match(/^(?:problem|warning) .*/gm)], [0, null])
    assert.match(runDocumented("first-account", own).out, /^Created the account acme/m)
  }, 120_000)
})
