/** A card number by keys: Parley as a process, the caller a telephone on real sockets, the tool's server on this machine. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { caller as callerOf } from "../../support/Callers.ts"
import { made } from "../../support/Fixtures.ts"
import { modelServer } from "../../support/ModelServer.ts"
import { receiver } from "../../support/Receiver.ts"
import { isSilent, readRecording } from "../../support/Recording.ts"
import { inboundCalls } from "../../support/Ringing.ts"
import { openSipRoom } from "../../support/SipRoom.ts"
import { sipNumber } from "../../support/SipTrunk.ts"
import { telephone } from "../../support/Telephone.ts"
import { sine, spoken } from "../../support/ToneCode.ts"
import { until } from "../../support/Until.ts"

const rate = 8_000
const card = "4929113344556677"
const collect = { name: "collect_digits", args: { name: "card", min: 12, max: 19 } }
const charge = { name: "charge", args: { card_number: "{{digits.card}}", amount: 1250 } }

/** What is left of a key's tone in the sound, where a telephone is slow to mute it. */
const tone = sine(941, 20, rate)

const schema = {
  type: "object",
  properties: { card_number: { type: "string", pattern: "^[0-9]{12,19}$" }, amount: { type: "integer" } },
  required: ["card_number"],
}

describe("digits that a caller presses", () => {
  it.live(
    "reach the tool's server, and nothing else: neither model, transcript, record, log nor recording",
    () =>
      Effect.gen(function* () {
        const room = yield* openSipRoom
        const models = yield* modelServer([])
        const bank = yield* Effect.acquireRelease(
          Effect.promise(() => receiver()),
          (bank) => Effect.sync(() => bank.close()),
        )
        bank.answer("/charge", (response, { body }) => response.writeHead(200).end(body))
        const settings = {
          OPENAI_COMPATIBLE_BASE_URL: `${models.url}/v1`,
          PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1",
          LOG_LEVEL: "Debug",
        }
        const { owner, port, process, server } = yield* Effect.promise(() => room.parley(settings))
        const phone = yield* telephone(port)
        const number = yield* Effect.promise(async () => {
          const model = { provider: "openai-compatible", id: "m" }
          const { agent } = await callerOf(owner, { model, recording: true, first_message: "Hello, this is Rosa." })
          const implementation_config = { url: bank.at("/charge"), method: "POST" }
          const form = { name: "charge", display_name: "Charge", category: "pay", description: "Charges a card." }
          made(await owner.post("/api/tools", { ...form, schema, implementation_type: "http", implementation_config }))
          const enable = async (tool_name: string, config = {}) =>
            made(await owner.post(`/api/agents/${agent.id}/tools`, { tool_name, config }))
          await enable("collect_digits")
          await enable("charge", { digits: ["card"] })
          const number = await sipNumber(owner, "127.0.0.1")
          made(await owner.put(`/api/phone-numbers/${number.id}`, { inbound_agent_id: agent.id }))
          return number
        })
        // By what the model is told: on a busy machine, what the caller says may come as two utterances.
        models.begin((body) => {
          if (body.includes("********")) return { says: "That was paid." }
          if (body.includes("ended_by")) return { says: "One moment.", calls: [charge] }
          return { says: "Please press your card number, and then the hash key.", calls: [collect] }
        })
        const call = () => inboundCalls(owner).then(([call]) => call!)
        const isSpoken = (text: string) => until(() => room.speech.spoken.some(({ input }) => input.includes(text)))

        const answer = yield* phone.ring(number.number)
        yield* Effect.promise(() => until(async () => (await call()).transcript.length > 0))
        yield* phone.sayUntil(spoken("hello please", rate), () => models.asked.length > 0)
        yield* Effect.promise(() => until(async () => (await call()).recording_pauses.length === 1))
        for (const digit of `${card}#`) {
          yield* phone.press(digit)
          phone.say(tone)
          yield* Effect.sleep("60 millis")
        }
        const [paid] = yield* Effect.promise(() => bank.until("/charge", 1))
        yield* Effect.promise(() => isSpoken("That was paid"))
        yield* Effect.sleep("1500 millis")
        yield* phone.hangUp(answer)
        const ended = yield* Effect.promise(() =>
          until(async () => {
            const last = await call()
            return last.ended_at !== null && last
          }),
        )

        assert.deepStrictEqual(JSON.parse(paid!.body), { card_number: card, amount: 1250 })
        const [collected, charged] = ended.tool_invocations
        const result = { status: "collected", digits: 16, ended_by: "key", reference: "{{digits.card}}" }
        assert.deepInclude(collected, { tool_name: "collect_digits", arguments: collect.args, result })
        assert.deepInclude(charged, { arguments: charge.args, result: { card_number: "********", amount: 1250 } })
        const agent = ended.transcript.filter(({ role }) => role === "agent").map(({ text }) => text)
        assert.include(agent, "Please press your card number, and then the hash key.")
        for (const everything of [models.asked, ended, process.said()]) {
          assert.notInclude(JSON.stringify(everything), card.slice(0, 6))
        }
        // The recording is silent on both sides from the end of the question to after the last key.
        const file = yield* Effect.promise(async () => {
          const headers = { authorization: `Bearer ${owner.token}`, "x-account-id": owner.account ?? "" }
          const response = await fetch(`${server.url}/api/v1/calls/${ended.id}/recording`, { headers })
          return new Uint8Array(await response.arrayBuffer())
        })
        const { left, right } = readRecording(file)
        assert.lengthOf(ended.recording_pauses, 1)
        const [{ started_ms, ended_ms } = { started_ms: 0, ended_ms: 0 }] = ended.recording_pauses
        assert.isAtLeast((ended_ms ?? 0) - started_ms, 17 * 60)
        assert.isTrue(isSilent(left, rate, started_ms, ended_ms ?? 0))
        assert.isTrue(isSilent(right, rate, started_ms, ended_ms ?? 0))
        assert.isFalse(isSilent(right, rate, ended_ms ?? 0, (right.length / rate) * 1_000))
      }).pipe(Effect.scoped),
    240_000,
  )
})
