/** Calls over Telnyx that outlive the process that placed them. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { CarrierProcess, telnyxCredentials, telnyxNumber } from "../../support/CarrierProcess.ts"
import { type Pair, paired, ProcessPair } from "../../support/ProcessPair.ts"
import { speechServer } from "../../support/SpeechServer.ts"
import { until } from "../../support/Until.ts"

const layer = Layer.unwrap(Effect.map(speechServer, ({ url }) => ProcessPair.layerWith({ SPEECH_BASE_URL: url }))).pipe(
  Layer.provideMerge(CarrierProcess.layer),
)

it.layer(layer, { timeout: "180 seconds", excludeTestServices: true })("calls over Telnyx", (it) => {
  const test = (name: string, body: (pair: Pair) => Promise<void>) =>
    it.effect(
      name,
      () => paired(async (owner, carrier) => telnyxNumber(owner, await telnyxCredentials(carrier)), body),
      300_000,
    )
  const events = (pair: Pair, id: string) => pair.carrier.truth(id).map(({ event }) => event)

  test("are ended by another process after kill -9, and only then settled", async (pair) => {
    const id = await pair.place("+14155580165")
    await until(async () => (await pair.call(id)).status === "in_progress")
    pair.placing.child.kill("SIGKILL")
    const call = await pair.ended(id)
    assert.include(call, { status: "completed", outcome: "answered", end_reason: "interrupted" })
    assert.deepStrictEqual(events(pair, id), ["create", "ring", "answer", "end"])
    assert.isAtMost(Date.parse(pair.carrier.truth(id).at(-1)!.at), Date.parse(call.ended_at!))
  })

  test("are found without their name after kill -9 in the middle of the order, and stopped", async (pair) => {
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
