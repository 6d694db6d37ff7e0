import { assert, describe, inject, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { campaignForm, made } from "../support/Fixtures.ts"
import { emptyFolder, start } from "../support/Process.ts"
import { speak } from "../support/TestServer.ts"

interface Fact {
  readonly event: "invite" | "ring" | "answer" | "end"
  readonly attempt_id: string
  readonly number: string
  readonly at: string
}

const factsOf = (file: string): ReadonlyArray<Fact> =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

/** Reads a stream until `found` says so, or to its end. */
const readUntil = async (reader: ReadableStreamDefaultReader<Uint8Array>, found: (text: string) => boolean) => {
  let text = ""
  while (!found(text)) {
    const { done, value } = await reader.read()
    if (done) return { text, ended: true }
    text += new TextDecoder().decode(value)
  }
  return { text, ended: false }
}

describe("a drain (decisions §6, DRAIN_SECONDS)", () => {
  it("after SIGTERM no contact is dialled, calls in progress finish, and a restart continues from there", async () => {
    const folder = emptyFolder()
    const database = new URL(inject("postgres"))
    database.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
    const env = {
      DATABASE_URL: database.href,
      DATABASE_MAX_CONNECTIONS: "20",
      PARLEY_DATA_DIR: folder,
      LAB_LOG: join(folder, "lab.jsonl"),
      DRAIN_SECONDS: "120",
    }
    // Calls of some twenty seconds: they outlive all that is asked of the draining server, on a slow machine too.
    const first = start({ ...env, LAB_SPEED: "2" })
    const server = speak(await first.ready)
    const owner = await server.ownerOf("drained", { concurrent_max: 8, calls_per_minute: 6000 })
    const agent = made(await owner.post("/api/agents", { name: "a", system_prompt: "p", first_message: "Hello." }))
    const number = made(await owner.post("/api/phone-numbers", { number: "+14155550100", carrier: "lab" }))
    const rows = Array.from({ length: 40 }, (_, at) => `+1415555${String(2000 + at)}`)
    const form = campaignForm(
      { name: "c", agent_id: agent.id, phone_number_id: number.id, max_concurrent_calls: "8" },
      `phone_number\n${rows.join("\n")}\n`,
    )
    const campaign = made(await owner.request("POST", "/api/v1/campaigns", { body: form }))
    const path = `/api/v1/campaigns/${campaign.id}` as const
    made(await owner.post(`${path}/start`))

    const headers = { "x-account-id": owner.account, authorization: `Bearer ${owner.token}` }
    const stream = await fetch(`${server.url}${path}/events`, { headers })
    const reader = stream.body?.getReader()
    if (reader === undefined) throw new Error("The stream has no body")
    await readUntil(reader, (text) => /"in_progress":8/.test(text))

    first.child.kill("SIGTERM")
    const parting = await readUntil(reader, () => false)
    assert.isTrue(parting.ended)
    assert.match(parting.text, /(?:^|\n)retry: \d{3,4}\n$/)
    const refused = await fetch(`${server.url}/api/faqs`, { headers })
    assert.strictEqual(refused.status, 503)
    assert.isNotNull(refused.headers.get("retry-after"))
    const unready = await fetch(`${server.url}/readyz`)
    assert.strictEqual(unready.status, 503)
    assert.deepInclude(await unready.json(), { code: "draining", checks: { process: "stopping" } })
    assert.strictEqual((await fetch(`${server.url}/healthz`)).status, 200)
    const asked = Date.now()
    assert.strictEqual(await first.ended, 0)

    const facts = factsOf(env.LAB_LOG)
    const count = (event: Fact["event"]) => facts.filter((fact) => fact.event === event).length
    assert.isBelow(count("invite"), 40)
    assert.strictEqual(count("end"), count("invite"))

    const second = start({ ...env, LAB_SPEED: "40" })
    const again = speak(await second.ready)
    const back = await again.ownerOf("drained")
    const calls = made(await back.get(`/api/v1/calls?campaign_id=${campaign.id}&page_size=100`)).items
    const intended = new Map(calls.map((call) => [call.id, call.started_at]))
    // What was intended before the signal is still dialled.
    for (const { attempt_id, event } of facts) {
      if (event === "invite") assert.isAtMost(Date.parse(String(intended.get(attempt_id))), asked)
    }
    const events = await fetch(`${again.url}${path}/events`, {
      headers: { "x-account-id": back.account, authorization: `Bearer ${back.token}` },
    })
    const rest = events.body?.getReader()
    if (rest === undefined) throw new Error("The stream has no body")
    await readUntil(rest, (text) => text.includes("event: end"))
    const ended = (await back.get(path)).body
    assert.deepStrictEqual([ended.status, ended.end_reason], ["completed", "finished"])
    assert.deepStrictEqual(ended.counts, {
      total: 40,
      pending: 0,
      in_progress: 0,
      completed: 40,
      failed: 0,
      skipped: 0,
    })
    const numbers = factsOf(env.LAB_LOG).flatMap(({ event, number }) => (event === "invite" ? [number] : []))
    assert.strictEqual(numbers.length, 40)
    assert.strictEqual(new Set(numbers).size, 40)
    second.child.kill("SIGTERM")
    assert.strictEqual(await second.ended, 0)
  }, 300_000)
})
