/**
 * A result that is owed outlives the process that owes it: of a call that was cut, and of an extraction in progress. So
 * does what people wrote about the call.
 */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import type { Call } from "../../src/domain/Call.ts"
import { caller } from "../support/Callers.ts"
import { made } from "../support/Fixtures.ts"
import { type Fleet, fleet } from "../support/Fleet.ts"
import { modelServer } from "../support/ModelServer.ts"
import { type Client, speak } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const settings = { concurrent_max: 10, calls_per_minute: 1_000 }
const outcome_schema = { type: "object", properties: { suits: { type: "boolean" } } }
const opened: Array<Fleet> = []
const scope = Effect.runSync(Scope.make())

const extracted = (owner: Client, id: string): Promise<typeof Call.Encoded> =>
  until(async () => {
    const call = made(await owner.get(`/api/v1/calls/${id}`))
    return call.extraction !== null && call.extraction.state !== "pending" && call
  })

const dispositions = [
  { key: "keen", label: "Wants an offer" },
  { key: "busy", label: "Has no time" },
]

/** Writes notes on the call, and sets its disposition anew after each, until the process dies. Returns what it confirmed. */
const writeAbout = (owner: Client, id: string) => {
  const confirmed: Array<string> = []
  const write = async (): Promise<never> => {
    while (true) {
      const { key } = dispositions[confirmed.length % 2]!
      confirmed.push(made(await owner.post(`/api/v1/calls/${id}/notes`, { text: `They sound ${key}.` })).id)
      made(await owner.put(`/api/v1/calls/${id}/disposition`, { key }))
    }
  }
  return { confirmed, ended: write().catch(() => {}) }
}

describe.concurrent("the result of a call", () => {
  afterAll(async () => {
    await Promise.all(opened.map((fleet) => fleet.stop()))
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it("is read by another process if the one that conducted the call was killed during it", async () => {
    const two = fleet({ LAB_SPEED: "2" })
    opened.push(two)
    const [conducting, other] = await Promise.all([two.join(), two.join()])
    // It never gets to record anything: it is killed at the first yes.
    const system_prompt = "You are Rosa.\nAsk: Does Friday suit you?\nRecord: suits"
    const writer = await speak(conducting.url).ownerOf("cut", settings)
    const lab = await caller(writer, { dispositions, outcome_schema, system_prompt })
    const owner = await speak(other.url).ownerOf("cut")
    const { id } = made(await lab.call("+14155552001"))
    const { confirmed, ended } = writeAbout(writer, id)
    await until(async () =>
      made(await owner.get(`/api/v1/calls/${id}`)).transcript.some(({ text }) => text.includes("Yes, that's fine")),
    )
    conducting.child.kill("SIGKILL")
    const call = await extracted(owner, id)
    assert.strictEqual(call.end_reason, "interrupted")
    assert.deepInclude(call.extraction, { state: "done" })
    assert.deepStrictEqual(call.result, { suits: true })

    await ended
    const notes = call.notes.map((note) => note.id)
    assert.isNotEmpty(confirmed)
    assert.includeMembers(notes, confirmed)
    // The request that was cut may have been carried out.
    assert.isAtMost(notes.length, confirmed.length + 1)
    const sets = made(await owner.get("/api/v1/events?type=call.disposition_set&limit=1000")).items.length
    const last = dispositions[(sets + 1) % 2]
    assert.deepInclude(call.disposition, { ...last, source: "person" })
    assert.isAtLeast(sets, confirmed.length - 1)
    assert.isAtMost(sets, confirmed.length)
  }, 240_000)

  it("is read by another process if the one that was reading it was killed", async () => {
    const models = await Effect.runPromise(Scope.provide(modelServer([]), scope))
    const isReading = (body: string) => body.includes("You fill in a form")
    models.begin((body) => (isReading(body) ? { silent: true } : { says: "Does Friday suit you?" }))
    const two = fleet({ OPENAI_COMPATIBLE_BASE_URL: `${models.url}/v1` })
    opened.push(two)
    const [reading, other] = await Promise.all([two.join(), two.join()])
    const model = { provider: "openai-compatible", id: "m" }
    const lab = await caller(await speak(reading.url).ownerOf("read", settings), { outcome_schema, model })
    const owner = await speak(other.url).ownerOf("read")
    const { id } = made(await lab.call("+14155552001"))
    await until(() => models.asked.some(({ body }) => isReading(JSON.stringify(body))))

    reading.child.kill("SIGKILL")
    models.begin((body) =>
      isReading(body)
        ? { says: JSON.stringify({ suits: { value: false, turn: 0 } }) }
        : { says: "Does Friday suit you?" },
    )
    // As if the lease had passed.
    await two.query("read", "update extractions set due_at = now()")
    const call = await extracted(owner, id)
    assert.deepInclude(call.extraction, { state: "done" })
    assert.deepStrictEqual(call.result, { suits: false })
    assert.deepStrictEqual(await two.query("read", "select attempts from extractions"), [{ attempts: 2 }])
    const { items } = made(await owner.get("/api/v1/events?type=call.extracted"))
    assert.strictEqual(items.length, 1)
  }, 240_000)
})
