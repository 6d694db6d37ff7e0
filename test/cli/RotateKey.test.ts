/** The rotation of the encryption key, beside processes that dial, read and write. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { campaigner } from "../support/Campaigner.ts"
import { command } from "../support/Command.ts"
import { debianPostgres, type DebianPostgres, debianPostgresFault } from "../support/DebianPostgres.ts"
import { runDocumented } from "../support/Documented.ts"
import { made } from "../support/Fixtures.ts"
import { emptyFolder, type Process, start } from "../support/Process.ts"
import { speak } from "../support/TestServer.ts"

const [old, fresh] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")]
const keys = (first: string, second?: string) => ({
  PARLEY_ENCRYPTION_KEY: first,
  ...(second !== undefined && { PARLEY_ENCRYPTION_KEY_SECOND: second }),
})

describe.skipIf(debianPostgresFault !== undefined)("a rotation of the encryption key", () => {
  let server: DebianPostgres
  const parleys: Array<Process> = []
  const env = (of: Record<string, string>) => ({
    ...of,
    DATABASE_URL: server.url,
    DATABASE_MAX_CONNECTIONS: "20",
    PARLEY_DATA_DIR: emptyFolder(),
  })
  const startWith = async (...of: Parameters<typeof keys>) => {
    const parley = start({ ...env(keys(...of)), LAB_SPEED: "20", DRAIN_SECONDS: "5" })
    parleys.push(parley)
    return { parley, http: speak(await parley.ready) }
  }
  const stop = async ({ child, ended }: Process) => {
    child.kill("SIGTERM")
    assert.strictEqual(await ended, 0)
  }
  const rotate = (first: string, second?: string, ...args: ReadonlyArray<string>) =>
    command(env(keys(first, second)), ["rotate-key", ...args])

  beforeAll(async () => {
    server = await debianPostgres()
  }, 60_000)
  afterAll(() => {
    for (const { child } of parleys) child.kill("SIGKILL")
    server.stop()
  })

  it("loses no account, no call and no stored answer, and is killed on its way", async () => {
    const first = await startWith(old)
    const owner = await first.http.ownerOf("acme", { concurrent_max: 5, calls_per_minute: 6_000 })
    const own = await campaigner(owner)
    const numbers = Array.from({ length: 40 }, (_, at) => `+12125551${String(at).padStart(3, "0")}`)
    const { id } = await own.running(numbers, { max_concurrent_calls: "2" })
    const { key: token } = made(await owner.post("/api/v1/api-keys", { name: "rotation", scopes: ["read", "write"] }))
    /** As the account's key: at each process, and with each step of the rotation. */
    const asKey = (http: ReturnType<typeof speak>, name: string) =>
      http.request("POST", "/api/agents", {
        token,
        account: "acme",
        body: { name, system_prompt: "You are kind." },
        headers: { "Idempotency-Key": name },
      })
    const answers = new Map<string, unknown>()
    for (const name of Array.from({ length: 20 }, (_, at) => `before-${at}`)) {
      answers.set(name, made(await asKey(first.http, name)))
    }
    for (const slug of ["one", "two", "three"]) await first.http.ownerOf(slug)

    const early = await rotate(fresh, old)
    assert.strictEqual(early.code, 1)
    assert.match(early.err, /^Running processes do not know this PARLEY_ENCRYPTION_KEY, .* Nothing was changed\.$/m)
    assert.match((await rotate(fresh)).err, /^PARLEY_ENCRYPTION_KEY does not open the data keys/)

    const second = await startWith(old, fresh)
    await stop(first.parley)
    const third = await startWith(fresh, old)

    const planned = JSON.parse((await rotate(fresh, old, "--dry-run", "--json")).out)
    assert.strictEqual(planned.keys, 5)
    assert.isAtLeast(planned.answers, 20)
    const rotation = { goesOn: true }
    const beside = (async () => {
      for (let at = 0; rotation.goesOn; at++) {
        const { http } = at % 2 === 0 ? second : third
        answers.set(`during-${at}`, made(await asKey(http, `during-${at}`)))
        const read = await http.request("GET", "/api/agents", { token, account: "acme" })
        assert.strictEqual(read.status, 200)
        await sleep(5)
      }
    })()
    for (const milliseconds of [350, 450, 500, 550, 600, 700]) {
      await command(env(keys(fresh, old)), ["rotate-key"], milliseconds)
    }
    const late = await rotate(fresh, old)
    assert.strictEqual(late.code, 1)
    assert.match(late.err, /^Keep the previous key for now: running processes still seal with another one/m)
    rotation.goesOn = false
    await beside
    await stop(second.parley)

    const done = runDocumented("rotate-key", env(keys(fresh, old)))
    assert.strictEqual(done.code, 0, done.err)
    assert.match(done.out, /^The previous key is needed no more, except for backups from before\./m)
    const idle = JSON.parse((await rotate(fresh, old, "--json")).out)
    assert.deepStrictEqual(idle, {
      keys: 0,
      urls: 0,
      answers: 0,
      unreadable: [],
      unreached: [],
      processes_with_another_key: [],
      previous_key_is_needed: false,
    })
    for (const said of [early, late, done]) for (const key of [old, fresh]) assert.notInclude(said.err + said.out, key)

    await stop(third.parley)
    const last = await startWith(fresh)
    for (const [name, answer] of answers) {
      const again = await asKey(last.http, name)
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true", name)
      assert.deepStrictEqual(made(again), answer)
    }
    const again = await last.http.ownerOf("acme")
    made(await again.put(`/api/v1/campaigns/${id}`, { max_concurrent_calls: 5 }))
    const restarted = await campaigner(again)
    const { counts } = await restarted.ended(id)
    assert.strictEqual(counts.completed + counts.failed, numbers.length)
    for (const slug of ["one", "two", "three"]) await last.http.ownerOf(slug)
    assert.strictEqual((await command(env(keys(fresh)), ["verify"])).code, 0)
    const { code, err } = await command(env(keys(old)), ["accounts", "list"])
    assert.deepStrictEqual([code, err.slice(0, 30)], [1, "PARLEY_ENCRYPTION_KEY does not"])
  }, 300_000)
})
