/** Calls over Telnyx that outlive the process that placed them. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Call } from "../../../src/domain/Call.ts"
import { assertTalkedThrough, CarrierProcess, telnyxCredentials, telnyxNumber } from "../../support/CarrierProcess.ts"
import { type Pair, paired, ProcessPair } from "../../support/ProcessPair.ts"
import { made } from "../../support/Fixtures.ts"
import { speechServer } from "../../support/SpeechServer.ts"
import { streamsOf } from "../../support/StreamedParley.ts"
import { until } from "../../support/Until.ts"

const layer = Layer.unwrap(
  Effect.map(speechServer, ({ url }) => ProcessPair.layerWith({ SPEECH_BASE_URL: url, DRAIN_SECONDS: "1" })),
).pipe(Layer.provideMerge(CarrierProcess.layer))

it.layer(layer, { timeout: "180 seconds", excludeTestServices: true })("calls over Telnyx", (it) => {
  const test = (name: string, body: (pair: Pair) => Promise<void>) =>
    it.effect(
      name,
      () => paired(async (owner, carrier) => telnyxNumber(owner, await telnyxCredentials(carrier)), body),
      300_000,
    )
  const linesOf = ({ transcript }: typeof Call.Encoded) =>
    transcript.flatMap(({ role, text }) => (role === "tool" ? [] : [`${role}: ${text}`]))
  const events = (pair: Pair, id: string) => pair.carrier.truth(id).map(({ event }) => event)

  test("go on in another process after kill -9, over a new stream, and nothing is said twice", async (pair) => {
    const id = await pair.place("+14155580100")
    const before = await until(async () => {
      const lines = linesOf(await pair.call(id))
      return lines.length >= 3 && lines
    })
    pair.placing.child.kill("SIGKILL")
    const call = await pair.ended(id)
    assertTalkedThrough(call)
    const lines = linesOf(call)
    assert.deepStrictEqual(lines.slice(0, before.length), before)
    assert.lengthOf(
      lines.filter((line) => line.startsWith("agent: Hello there")),
      1,
    )
    assert.lengthOf(await streamsOf(pair.carrier, id), 2)
    assert.deepStrictEqual(events(pair, id), ["create", "ring", "answer", "end"])
  })

  test("that a process leaves when it stops go on too, and are hung up on request", async (pair) => {
    const id = await pair.place("+14155580165")
    await until(async () => (await streamsOf(pair.carrier, id)).some(({ played }) => played.length > 0))
    pair.placing.child.kill("SIGTERM")
    assert.strictEqual(await pair.placing.ended, 0)
    assert.notInclude(events(pair, id), "end")
    await until(async () => (await streamsOf(pair.carrier, id)).length === 2)
    const hungUp = made(await pair.other.post(`/api/v1/calls/${id}/hangup`))
    assert.include(hungUp, { outcome: "answered", end_reason: "hung_up" })
    assert.deepStrictEqual(events(pair, id), ["create", "ring", "answer", "end"])
  })

  test("are found without their id after kill -9 in the middle of the order, and ended", async (pair) => {
    // No answer to the order, and its webhooks come when the process is dead.
    await pair.carrier.ask("POST", "/control", { create: { timeout_after: 1 }, callbacks: { drop: 1 } })
    const id = await pair.place("+14155580168")
    await until(() => events(pair, id).includes("create"))
    pair.placing.child.kill("SIGKILL")
    const call = await pair.ended(id)
    // Telnyx does not say whether a call that it lists was answered.
    assert.include(call, { status: "failed", outcome: "unknown", end_reason: "interrupted" })
    assert.strictEqual(pair.carrier.truth(id).at(-1)?.event, "end")
    assert.isAtMost(Date.parse(pair.carrier.truth(id).at(-1)!.at), Date.parse(call.ended_at!))
    assert.lengthOf(
      pair.carrier.truth(id).filter(({ event }) => event === "create"),
      1,
    )
  })
})
