import { assert, describe, it } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { isE164 } from "../../src/domain/E164.ts"
import { giveWay } from "../support/Process.ts"
import { behaviourOf } from "../../src/telephony/lab/Behaviours.ts"

const children: Array<ChildProcess> = []
afterAll(() => {
  for (const child of children) child.kill("SIGTERM")
})

/** `npm run demo` in a temporary folder of its own. */
const demo = (...options: ReadonlyArray<string>) => {
  const temporary = mkdtempSync(join(tmpdir(), "parley-test-demo-"))
  const child = spawn(process.execPath, ["examples/demo.ts", ...options], {
    env: {
      PATH: process.env["PATH"] ?? "",
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
      TMPDIR: temporary,
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
  giveWay(child)
  children.push(child)
  let said = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text))
  const ended = once(child, "close").then(([code]) => code as number | null)
  /** Once it has said so; rejects when it ends without a word of it. */
  const heard = async (words: string | RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = new RegExp(words).exec(said)
      if (found !== null) return found
      const over = await Promise.race([once(child.stdout, "data").then(() => false), ended.then(() => true)])
      if (over) throw new Error(`It ended without saying ${words}: ${said}`)
    }
  }
  return { child, ended, heard, said: () => said, left: () => readdirSync(temporary) }
}

// They wait for the lab's calls for most of their time.
describe.concurrent("npm run demo (decisions §6)", () => {
  it("tells the whole story, accounts for every contact and leaves nothing behind", async () => {
    const { ended, left, said } = demo()
    assert.strictEqual(await ended, 0, said())
    const story = said()
    assert.include(story, "200 rows of contacts.csv: 200 accepted, 0 invalid")
    assert.include(story, "The campaign is completed")
    assert.include(story, "200 of 200 contacts accounted for")
    assert.match(story, /18 people asked for one, the first \w+, on .* at 3:00 PM in \w+\/\w+/)
    assert.match(story, /\w+ was dialled \d+ ms after the time of the callback: answered\./)
    const row = (outcome: string) => {
      const [, contacts, calls] = new RegExp(`│ ${outcome} +│ +(\\d+) │ +(\\d+) │`).exec(story) ?? []
      return [Number(contacts), Number(calls)] as const
    }
    // By the last digits of contacts.csv: who answers, who has a machine, who never can be reached.
    assert.deepStrictEqual(row("voicemail"), [14, 14])
    assert.deepStrictEqual(row("rejected"), [5, 5])
    assert.deepStrictEqual(row("invalid_number"), [3, 3])
    assert.deepStrictEqual(row("no_answer"), [12, 36])
    assert.deepStrictEqual(row("busy"), [10, 34])
    assert.deepStrictEqual(row("carrier_error"), [4, 12])
    assert.strictEqual(row("answered")[0], 152)
    assert.match(story, /tool +lookup_faq\(\{"question":"What are your opening hours\?"\}\)/)
    assert.include(story, "We are open Monday to Friday")
    assert.deepStrictEqual(left(), [])
    const rows: ReadonlyArray<Record<string, string>> = parse(readFileSync("examples/results.csv"), { columns: true })
    assert.strictEqual(rows.length, 200)
    assert.isTrue(rows.some(({ confirmed }) => confirmed === "true"))
  }, 300_000)

  it.each([
    ["on Ctrl-C", (child: ChildProcess) => child.kill("SIGINT")],
    ["when the reader of its output goes away", (child: ChildProcess) => child.stdout?.destroy()],
  ] as const)(
    "ends in good order %s, in the middle of the campaign",
    async (_, interrupt) => {
      const { child, ended, heard, left } = demo()
      await heard("Campaign .* is running")
      interrupt(child)
      assert.strictEqual(await ended, 130)
      assert.deepStrictEqual(left(), [])
    },
    240_000,
  )

  it("--stay leaves the server up, says how to sign in, and ends with 0 on Ctrl-C", async () => {
    const { child, ended, heard, left, said } = demo("--stay")
    const [, url] = await heard(/curl -s (http:\S+)\/api\/v1\/campaigns .*\n/)
    const [, body] = await heard(/-d '(\{.*\})'/)
    const login = { method: "POST", headers: { "content-type": "application/json" }, body: body ?? "" }
    const { access_token } = await (await fetch(`${url}/api/login`, login)).json()
    const campaigns = await fetch(`${url}/api/v1/campaigns`, {
      headers: { authorization: `Bearer ${access_token}`, "x-account-id": "harbor-fleet" },
    })
    assert.strictEqual((await campaigns.json()).items[0].status, "completed", said())
    child.kill("SIGINT")
    assert.strictEqual(await ended, 0)
    assert.deepStrictEqual(left(), [])
  }, 300_000)
})

describe("examples/contacts.csv", () => {
  const rows: ReadonlyArray<Record<string, string>> = parse(readFileSync("examples/contacts.csv"), { columns: true })
  const numbers = rows.map(({ phone_number = "" }) => phone_number)

  it("has 200 rows with numbers that are E.164 and stand there once", () => {
    assert.strictEqual(rows.length, 200)
    assert.isTrue(numbers.every((number) => isE164(number)))
    assert.strictEqual(new Set(numbers).size, 200)
  })

  it("has a contact of every behaviour that the lab knows", () => {
    const all = Array.from({ length: 100 }, (_, digits) => behaviourOf(`+1202555${String(digits).padStart(4, "0")}`))
    assert.sameMembers([...new Set(numbers.map(behaviourOf))], [...new Set(all)])
  })
})
