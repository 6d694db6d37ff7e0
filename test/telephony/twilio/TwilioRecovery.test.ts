/** Calls over a carrier that outlive the process that placed them: reports to another process, kill -9, and a stop. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { inject, onTestFinished } from "vitest"
import type { Call } from "../../../src/domain/Call.ts"
import { assertTalkedThrough, CarrierProcess, twilioNumber } from "../../support/CarrierProcess.ts"
import { caller, wide } from "../../support/Callers.ts"
import { freePort } from "../../support/FreePorts.ts"
import { made } from "../../support/Fixtures.ts"
import { type Pair, paired, ProcessPair } from "../../support/ProcessPair.ts"
import { emptyFolder, start } from "../../support/Process.ts"
import { speak } from "../../support/TestServer.ts"
import { until } from "../../support/Until.ts"

/** The extra time that is allowed for a machine that is busy, or stalls for a while. */
const slackMs = 30_000

const prices = join(emptyFolder(), "prices.json")
const from = "2026-01-01"
const price = { carrier: "twilio", prefix: "+", from, per_minute: "0.02", increment_seconds: 60 }
const list = { currency: "USD", carriers: [price], agent_at_most: [{ from, per_minute: "0.1" }] }
writeFileSync(prices, JSON.stringify(list))

const layer = ProcessPair.layerWith({ DRAIN_SECONDS: "1", PARLEY_PRICES_FILE: prices }).pipe(
  Layer.provideMerge(CarrierProcess.layer),
)

it.layer(layer, { timeout: "180 seconds", excludeTestServices: true })("calls that outlive", (it) => {
  const test = (name: string, body: (pair: Pair) => Promise<void>) =>
    it.effect(name, () => paired((owner) => twilioNumber(owner), body), 300_000)
  const events = (pair: Pair, id: string) => pair.carrier.truth(id).map(({ event }) => event)
  const agentSaid = async (pair: Pair, id: string): Promise<ReadonlyArray<string>> => {
    const [there] = (await pair.carrier.ask("GET", "/calls")).filter(
      ({ order }) => order.status_callback.split("/").at(-2) === id,
    )
    return (there?.transcript ?? []).filter(({ role }) => role === "agent").map(({ text }) => text)
  }

  /** The conversation without the tools, as the call's transcript has it. */
  const linesOf = ({ transcript }: typeof Call.Encoded) =>
    transcript.flatMap(({ role, text }) => (role === "tool" ? [] : [`${role}: ${text}`]))
  /** Waits until the row of the live call has so many lines, and returns them. */
  const linesOnce = (pair: Pair, id: string, count: number) =>
    until(async () => {
      const lines = linesOf(await pair.call(id))
      return lines.length >= count && lines
    })

  test("a call is conducted to its end, whichever process its reports reach", async (pair) => {
    const call = await pair.ended(await pair.place("+14155580100"))
    assertTalkedThrough(call)
    assert.deepStrictEqual(events(pair, call.id), ["create", "ring", "answer", "end"])
  })

  test("after kill -9 another process goes on with the talk, and nothing is said twice", async (pair) => {
    const id = await pair.place("+14155580100")
    const before = await linesOnce(pair, id, 3)
    pair.placing.child.kill("SIGKILL")
    const call = await pair.ended(id)
    assertTalkedThrough(call)
    const lines = linesOf(call)
    assert.deepStrictEqual(lines.slice(0, before.length), before)
    assert.lengthOf(
      lines.filter((line) => line.startsWith("agent: Hello there")),
      1,
    )
    assert.deepStrictEqual(events(pair, id), ["create", "ring", "answer", "end"])
  })

  test("a process that stops leaves its calls to another one after the drain", async (pair) => {
    const id = await pair.place("+14155580165")
    await until(async () => (await agentSaid(pair, id)).length > 0)
    pair.placing.child.kill("SIGTERM")
    assert.strictEqual(await pair.placing.ended, 0)
    assert.notInclude(events(pair, id), "end")
    const call = await pair.ended(id)
    // The person says nothing, so the agent asks twice and hangs up, as without the stop.
    assert.include(call, { status: "completed", outcome: "answered", end_reason: "silence" })
    assert.deepStrictEqual(events(pair, id), ["create", "ring", "answer", "end"])
  })

  it.effect(
    "a process that stops hangs its calls up if no other one runs",
    () =>
      Effect.gen(function* () {
        const carrier = yield* CarrierProcess
        yield* Effect.promise(async () => {
          const port = await freePort()
          const url = `http://127.0.0.1:${port}`
          const database = new URL(inject("postgres"))
          database.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
          const alone = start({
            PORT: String(port),
            DATABASE_URL: database.href,
            PARLEY_DATA_DIR: emptyFolder(),
            PARLEY_PUBLIC_URL: url,
            TWILIO_API_URL: carrier.url,
            DRAIN_SECONDS: "1",
          })
          onTestFinished(() => void alone.child.kill("SIGKILL"))
          await alone.ready
          const owner = await speak(url).ownerOf("alone", wide)
          const { agent } = await caller(owner)
          const number = await twilioNumber(owner)
          const body = { agent_id: agent.id, phone_number_id: number.id, to: "+14155580165" }
          const { id } = made(await owner.post("/api/v1/calls", body))
          await until(async () => made(await owner.get(`/api/v1/calls/${id}`)).status === "in_progress")
          alone.child.kill("SIGTERM")
          assert.strictEqual(await alone.ended, 0)
          assert.strictEqual(carrier.truth(id).at(-1)?.event, "end")
        })
      }),
    120_000,
  )

  test("a client hangs up a call whose process was killed", async (pair) => {
    const id = await pair.place("+14155580165")
    await until(async () => (await agentSaid(pair, id)).length > 0)
    pair.placing.child.kill("SIGKILL")
    const hungUp = made(await pair.other.post(`/api/v1/calls/${id}/hangup`))
    assert.include(hungUp, { status: "completed", outcome: "answered", end_reason: "hung_up" })
    assert.strictEqual(events(pair, id).at(-1), "end")
  })

  test("after kill -9 in the middle of the order, the call is found without its id and ended", async (pair) => {
    // No answer to the order, and no report of it.
    await pair.carrier.ask("POST", "/control", { create: { timeout_after: 1 }, callbacks: { drop: 1 } })
    await pair.query("update budget set daily_spend_cap = 100")
    const id = await pair.place("+14155580176")
    await until(() => events(pair, id).includes("create"))
    pair.placing.child.kill("SIGKILL")
    const call = await pair.ended(id)
    assert.include(call, { status: "failed", outcome: "no_answer" })
    // The carrier says that no phone was answered, so none of what was reserved counts as spent.
    const money = `select reserved > 0 as is_reserved, written_off::float8, spent_today::float8,
      reserved_today::float8 from calls, budget`
    const freed = { written_off: 0, spent_today: 0, reserved_today: 0 }
    assert.deepStrictEqual(await pair.query(money), [{ is_reserved: true, ...freed }])
    assert.strictEqual(pair.carrier.truth(id).at(-1)?.event, "end")
    assert.isAtMost(Date.parse(pair.carrier.truth(id).at(-1)!.at), Date.parse(call.ended_at!))
  })

  test("after kill -9, a call that the carrier never made ends as unknown within 30 s", async (pair) => {
    await pair.carrier.ask("POST", "/control", { create: { timeout_before: 1 } })
    const id = await pair.place("+14155580100")
    // The order is on its way, and nothing will come of it.
    await new Promise((resolve) => setTimeout(resolve, 500))
    const killed = Date.now()
    pair.placing.child.kill("SIGKILL")
    const call = await pair.ended(id)
    assert.include(call, { status: "failed", outcome: "unknown", end_reason: "interrupted" })
    assert.deepStrictEqual(pair.carrier.truth(id), [])
    assert.isBelow(Date.now() - killed, 30_000 + slackMs)
  })

  test("a process that was stopped for a while finds that another one owns its call, and neither speaks nor hangs up", async (pair) => {
    const id = await pair.place("+14155580165")
    await until(async () => (await agentSaid(pair, id)).length > 0)
    const ownerOf = () => pair.query(`select node_id from calls where id = '${id}'`)
    const before = await ownerOf()
    pair.placing.child.kill("SIGSTOP")
    await until(async () => JSON.stringify(await ownerOf()) !== JSON.stringify(before))
    pair.placing.child.kill("SIGCONT")
    // It is itself again, and what it places is its own.
    const next = await pair.ended(await pair.place("+14155580170"))
    assert.strictEqual(next.outcome, "busy")
    const call = await pair.ended(id)
    assert.include(call, { outcome: "answered", end_reason: "silence" })
    assert.notDeepEqual(await ownerOf(), before)
    assert.deepStrictEqual(events(pair, id), ["create", "ring", "answer", "end"])
  })

  test("a call that was given up but is live is ended at its first report", async (pair) => {
    const id = await pair.place("+14155580165")
    await until(async () => (await agentSaid(pair, id)).length > 0)
    pair.placing.child.kill("SIGKILL")
    // As if no process had found it.
    await pair.query(`
      update calls set status = 'failed', outcome = 'unknown', end_reason = 'interrupted', ended_at = clock_timestamp()
      where id = '${id}'`)
    const given = await pair.call(id)
    await until(() => events(pair, id).includes("end"))
    assert.deepStrictEqual(await pair.call(id), given)
  })
})
