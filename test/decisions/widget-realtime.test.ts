import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { beforeEach } from "vitest"
import { made } from "../support/Fixtures.ts"
import { type Answer, realtimeServer, realtimeSettings, type RealtimeStandIn } from "../support/RealtimeServer.ts"
import { speakingSettings, speechServer, type SpeechStandIn } from "../support/SpeechServer.ts"
import { TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"
import { linesOf, type Stage, staged } from "../support/VoiceStage.ts"
import { visit } from "../support/WidgetPage.ts"

let realtime: RealtimeStandIn
let speech: SpeechStandIn

const agent = { model: { provider: "openai-realtime", id: "gpt-realtime" }, recording: true }
const greeting = "Hello there, this is Rosa."
const prices = {
  "openai-realtime/gpt-realtime": { input: 4, output: 16, audio_input: 32, audio_output: 64, cached_input: 0.4 },
}

const hertzOf = (text: string) => until(() => realtime.stage.said.find((said) => said.text === text)?.hz)

/** A recogniser and a voice are there too, and a brain that answers in writing. */
const server = Layer.unwrap(
  Effect.gen(function* () {
    realtime = yield* realtimeServer
    speech = yield* speechServer
    return TestServer.layerWith({
      ...speakingSettings(speech),
      ...realtimeSettings(realtime),
      OPENAI_REALTIME_TEXT_MODEL: "scripted/scripted",
      PARLEY_MODEL_PRICES: JSON.stringify(prices),
    })
  }),
)

type Body = (stage: Stage) => Promise<void>

it.layer(server, { timeout: "120 seconds", excludeTestServices: true })("an agent with a voice model", (it) => {
  const test = (name: string, body: Body, more: object = {}) =>
    it.effect(name, () => staged(body, {}, {}, { ...agent, ...more }))
  beforeEach(() => {
    realtime.stage.reset()
    speech.spoken.length = 0
  })

  test("greets, hears and answers by sound, and both sides are in the record and the recording", async ({
    ended,
    owner,
    ring,
  }) => {
    realtime.stage.answer = () => ({ text: "We open at nine and close at five." })
    const page = await ring()
    const { conversation } = await page.next("ready")
    assert.deepInclude(await page.next("line"), { by: "agent", text: greeting })
    assert.isAtLeast(page.playedMs(await hertzOf(greeting)), greeting.length * 60 - 40)
    page.say("what are your opening hours")
    assert.deepInclude(await page.next("line"), { by: "visitor", text: "What are your opening hours." })
    const answer = await page.next("line")
    assert.strictEqual(answer.text, "We open at nine and close at five.")
    assert.isAtLeast(page.playedMs(await hertzOf(answer.text)), 1_500)
    page.send({ type: "end" })
    const call = await ended(conversation)
    assert.deepInclude(call, { status: "completed", end_reason: "caller_hung_up" })
    assert.deepStrictEqual(
      call.transcript.map(({ role, text }) => `${role === "caller" ? "visitor" : role}: ${text}`),
      linesOf(page),
    )
    const [opening, reply] = call.turns
    assert.strictEqual(opening?.said_chars, greeting.length)
    assert.deepInclude(reply, { model: "openai-realtime/gpt-realtime", tokens_in: 100, tokens_out: 60 })
    assert.isNotNull(reply?.timings?.voice_to_voice_ms)
    // Two responses: 20 cached tokens of 100, 60 of sound; 50 of 60 of sound.
    const cost = 2 * (30 * 4 + 10 * 0.4 + 50 * 32 + 10 * 32 + 10 * 16 + 50 * 64) * 1e-6
    assert.approximately(call.cost.parts["brain"] ?? 0, cost, 1e-6)
    const recording = await until(async () => {
      const found = await owner.request("GET", `/api/v1/calls/${conversation}/recording`)
      return found.status === 200 && found
    })
    assert.strictEqual(recording.headers.get("content-type"), "audio/wav")

    const [session] = realtime.stage.conversations
    assert.deepInclude(session, { model: "gpt-realtime", key: "Bearer sk-test", errors: [] })
    assert.deepStrictEqual(session?.texts, [
      `assistant: ${greeting}`,
      "user: What are your opening hours.",
      `assistant: ${answer.text}`,
    ])
    const { audio, instructions } = session?.settings ?? {}
    assert.match(instructions ?? "", /You are Rosa/)
    assert.deepInclude(audio?.input, { turn_detection: null, format: { type: "audio/pcm", rate: 24_000 } })
    // Neither the recogniser nor the voice of the installation had anything to do.
    assert.deepStrictEqual([speech.spoken, speech.understood], [[], []])
    await until(() => realtime.sockets.clients.size === 0)
  })

  test("calls the agent's tools, whose arguments are checked, and ends the call by one", async ({
    ended,
    own,
    owner,
    ring,
  }) => {
    for (const tool_name of ["record_outcome", "end_call"])
      made(await owner.post(`/api/agents/${own.line.agent_id}/tools`, { tool_name, config: {}, enabled: true }))
    const answers: ReadonlyArray<Answer> = [
      { text: "One moment.", calls: [{ name: "record_outcome", args: "suits: yes" }] },
      { calls: [{ name: "record_outcome", args: '{"outcome": {"suits": true}}' }] },
      { text: "Thank you, and goodbye.", calls: [{ name: "end_call", args: "{}" }] },
    ]
    let asked = 0
    realtime.stage.answer = () => answers[asked++] ?? { text: "Once more?" }
    const page = await ring()
    const { conversation } = await page.next("ready")
    await page.next("line")
    page.say("what are your opening hours")
    const call = await ended(conversation)
    assert.deepInclude(call, { status: "completed", end_reason: "agent_hung_up" })
    assert.deepStrictEqual(
      call.tool_invocations.map(({ error, tool_name }) => [tool_name, error?.code]),
      [
        ["record_outcome", undefined],
        ["end_call", undefined],
      ],
    )
    const results = realtime.stage.conversations[0]?.items.filter(({ type }) => type === "function_call_output") ?? []
    assert.match(results[0]?.text ?? "", /invalid_arguments/)
    assert.isAtLeast(results.length, 2)
    assert.deepStrictEqual(realtime.stage.conversations[0]?.errors, [])
  })

  test("hears a wish not to be called by rule, whatever the model answers", async ({ ended, ring }) => {
    realtime.stage.answer = () => ({ text: "Let me tell you more about our wonderful offers." })
    const page = await ring()
    const { conversation } = await page.next("ready")
    await page.next("line")
    page.say("please stop calling me")
    const call = await ended(conversation)
    assert.strictEqual(call.end_reason, "opted_out")
  })

  test("that cannot be reached is replaced by recogniser, text model and voice", async ({ ended, ring }) => {
    realtime.stage.faults.connection.push("refused")
    const page = await ring()
    const { conversation } = await page.next("ready")
    assert.deepInclude(await page.next("line"), { by: "agent", text: greeting })
    assert.strictEqual(speech.spoken[0]?.input, greeting)
    page.say("what are your opening hours")
    assert.deepInclude(await page.next("line"), { by: "visitor", text: "What are your opening hours." })
    assert.match((await page.next("line")).text, /nine to five/)
    page.send({ type: "end" })
    assert.strictEqual((await ended(conversation)).end_reason, "caller_hung_up")
  })

  test("that is lost in the middle of an answer is replaced, and the question is answered", async ({ ended, ring }) => {
    const page = await ring()
    const { conversation } = await page.next("ready")
    await page.next("line")
    realtime.stage.faults.response.push({ kind: "stall" })
    realtime.stage.faults.connection.push("refused")
    page.say("what are your opening hours")
    await until(() => linesOf(page).some((line) => /nine to five/.test(line)))
    page.send({ type: "end" })
    const call = await ended(conversation)
    assert.strictEqual(call.transcript.filter(({ role }) => role === "caller").length, 1)
  })

  test("answers a visitor who writes with the text model", async ({ session }) => {
    const page = await visit(await session())
    await page.next("ready")
    await page.next("line")
    page.write("What are your opening hours?")
    await until(() => page.heard.some((message) => message.type === "line" && /nine to five/.test(message.text)))
    assert.deepStrictEqual(realtime.stage.conversations, [])
    page.send({ type: "end" })
  })
})
