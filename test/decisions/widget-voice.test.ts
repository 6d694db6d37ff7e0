import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { beforeEach } from "vitest"
import type { FromServer } from "../../src/domain/WidgetMessage.ts"
import { made } from "../support/Fixtures.ts"
import { speakingSettings, speechServer, type SpeechStandIn } from "../support/SpeechServer.ts"
import { TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"
import { call } from "../support/VoicePage.ts"
import { linesOf, type Stage, staged } from "../support/VoiceStage.ts"
import { visit } from "../support/WidgetPage.ts"

let speech: SpeechStandIn

const server = Layer.unwrap(
  Effect.map(speechServer, (standIn) => {
    speech = standIn
    return TestServer.layerWith(speakingSettings(standIn))
  }),
)

/** The tone of a line's last words: on a slow machine a filler comes before an answer, as a sound of its own. */
const hertzOf = (text: string) => until(() => speech.spoken.find(({ input }) => text.endsWith(input))?.hz)

it.layer(server, { timeout: "120 seconds", excludeTestServices: true })("a call in the widget", (it) => {
  const test = (
    name: string,
    body: (stage: Stage) => Promise<void>,
    { agent, settings, keyed }: { settings?: object; keyed?: object; agent?: object } = {},
  ) => it.effect(name, () => staged(body, settings, keyed, agent))
  beforeEach(() => {
    speech.spoken.length = 0
    speech.understood.length = 0
    speech.faults.speech.length = 0
    speech.faults.transcriptions.length = 0
  })

  test("is heard and answered aloud: the greeting's own sound, the words that were said, the call that it was", async ({
    ended,
    owner,
    ring,
  }) => {
    const page = await ring()
    const { conversation, features, sound } = await page.next("ready")
    assert.deepStrictEqual([features, sound], [{ voice: true }, { heard: 16_000, spoken: 24_000 }])
    const greeting = await page.next("line")
    assert.deepInclude(greeting, { by: "agent", text: "Hello there, this is Rosa." })
    const [first] = speech.spoken
    assert.deepInclude(first, { input: greeting.text, voice: "nora", speed: 1 })
    // All of it was played, and nothing of its silence beyond 40 ms.
    assert.approximately(page.playedMs(first?.hz ?? 0), first?.ms ?? 0, 40)
    assert.isAtMost(page.played.length * 20, (first?.ms ?? 0) + 60)

    page.say("what are your opening hours")
    assert.deepInclude(await page.next("line"), { by: "visitor", text: "What are your opening hours." })
    const answer = await page.next("line")
    assert.match(answer.text, /nine to five/)
    const [heard] = speech.understood
    assert.deepInclude(heard, { words: "what are your opening hours", language: "en", model: "ears" })
    assert.isAtLeast(page.playedMs(await hertzOf(answer.text)), 1_000)
    assert.deepStrictEqual([...speech.keys], ["Bearer sk-test"])

    const numbers = page.played.map(({ number }) => number)
    assert.deepStrictEqual(
      numbers,
      numbers.map((_, at) => at + 1),
    )
    page.send({ type: "end" })
    assert.strictEqual((await page.next("ended")).reason, "visitor_left")
    const ofIt = await ended(conversation)
    assert.deepInclude(ofIt, { direction: "web", status: "completed", end_reason: "caller_hung_up" })
    const words = ofIt.transcript.filter(({ role }) => role !== "tool")
    // A filler is an utterance of its own in the transcript, and part of the answer's line on the page.
    const [hello, question, ...answers] = words.map(
      ({ role, text }) => `${role === "caller" ? "visitor" : role}: ${text}`,
    )
    assert.deepStrictEqual([hello, question, answers.join(" ").replaceAll(" agent: ", " ")], linesOf(page))
    const [, said] = words
    assert.isAtLeast(said!.ended_ms - said!.started_ms, 700)
    assert.strictEqual(made(await owner.get("/api/v1/calls")).items[0]!.id, conversation)

    const [opening, reply] = ofIt.turns
    assert.strictEqual(ofIt.first_word_ms, opening!.first_word_ms)
    assert.isNull(opening!.timings!.voice_to_voice_ms)
    const { interruption_ms, voice_to_voice_ms, ...stages } = reply!.timings!
    assert.isNull(interruption_ms)
    assert.strictEqual(
      Object.values(stages).reduce<number>((sum, ms) => sum + (ms ?? 0), 0),
      voice_to_voice_ms,
    )
    // The page hears it a little later than it is sent.
    assert.isAtMost(voice_to_voice_ms!, reply!.response_ms! + 40)
    const metrics = String((await owner.request("GET", "/metrics")).body)
    for (const stage of ["voice_off", "transcript", "first_audio", "voice_to_voice", "answer_to_first_word"])
      assert.match(metrics, new RegExp(`parley_talk_stage_seconds_count\\{carrier="web",stage="${stage}"\\} [1-9]`))
  })

  test(
    "falls silent for who talks over it, and keeps what was heard alone",
    async ({ ended, ring }) => {
      const page = await ring()
      const { conversation } = await page.next("ready")
      const hz = await hertzOf("Hello there, this is Rosa.")
      await until(() => page.playedMs(hz) >= 1_500)
      page.say("what are your opening hours")
      await until(() => page.heard.some((message) => message.type === "sound" && message.do === "hold"))
      await until(() => page.heard.some((message) => message.type === "sound" && message.do === "clear"))
      const after = page.played.length
      const greeting = await page.next("line")
      assert.isTrue(greeting.interrupted)
      assert.isTrue("Hello there, this is Rosa.".startsWith(greeting.text))
      assert.isBelow(greeting.text.length, "Hello there, this is Rosa.".length)
      assert.isAtLeast(greeting.text.length, 1)
      assert.strictEqual((await page.next("line")).text, "What are your opening hours.")
      const answer = await page.next("line")
      assert.match(answer.text, /nine to five/, JSON.stringify([page.heard, speech.spoken]))
      // No frame of the greeting was played after it was cut.
      const tail = page.played.slice(after)
      assert.isAbove(tail.length, 10)
      assert.isTrue(tail.every(({ number }) => number > (page.played[after - 1]?.number ?? 0)))
      page.send({ type: "end" })
      const { transcript, turns } = await ended(conversation)
      assert.deepInclude(transcript[0], { role: "agent", text: greeting.text, interrupted: true })
      assert.deepInclude(turns[0], { interrupted: true })
      assert.strictEqual(`${greeting.text} ${turns[0]!.unheard}`, "Hello there, this is Rosa.")
    },
    { agent: { voice: { provider: "lab", id: "default", speed: 0.25 } } },
  )

  test(
    "has the voice and the language that its agent names",
    async ({ ring }) => {
      const page = await ring()
      await page.next("line")
      assert.deepInclude(speech.spoken[0], { voice: "coral", speed: 1.5 })
      page.say("hello")
      await page.next("line")
      assert.deepInclude(speech.understood[0], { language: "de", words: "hello" })
    },
    { agent: { voice: { provider: "openai", id: "coral", speed: 1.5 }, language: "de-AT" } },
  )

  test("takes what is written in the middle of it", async ({ ring }) => {
    const page = await ring()
    await page.next("line")
    page.write("What are your opening hours?", "m1")
    assert.deepInclude(await page.next("line"), { by: "visitor", id: "m1" })
    const answer = await page.next("line")
    assert.match(answer.text, /nine to five/)
    assert.isAtLeast(page.playedMs(await hertzOf(answer.text)), 1_000)
  })

  test("goes on over another socket with the frame that was not heard", async ({ ring, session }) => {
    const first = await ring()
    const { conversation, resume } = await first.next("ready")
    const hz = await hertzOf("Hello there, this is Rosa.")
    await until(() => first.playedMs(hz) >= 400)
    first.vanish()
    await first.closed
    const heard = first.played.at(-1)?.number ?? 0
    const second = await call(await session(), { resume, after: 0 })
    assert.deepInclude(await second.next("ready"), { conversation, resumed: true })
    assert.strictEqual((await second.next("line")).text, "Hello there, this is Rosa.")
    const [begins] = second.played
    assert.isAtMost(begins?.number ?? 0, heard + 1)
    assert.isAtLeast(begins?.number ?? 0, heard - 20)
    second.say("what are your opening hours")
    assert.deepInclude(await second.next("line"), { by: "visitor" })
  })

  test("asks again when it was not understood once more, and says goodbye when that goes on", async ({
    ended,
    ring,
  }) => {
    const page = await ring()
    const { conversation } = await page.next("ready")
    await page.next("line")
    speech.faults.transcriptions.push(500)
    page.say("hello")
    assert.deepInclude(await page.next("line"), { by: "visitor", text: "Hello." })
    await page.next("line")
    speech.faults.transcriptions.push(500, "nonsense", 503, 500)
    page.say("hello")
    await until(() => linesOf(page).some((line) => /could you say that again/.test(line)))
    page.say("hello")
    assert.strictEqual((await page.next("ended")).reason, "agent_error")
    assert.strictEqual((await ended(conversation)).end_reason, "agent_error")
  })

  test("writes what it cannot speak, and goes on", async ({ ring }) => {
    speech.faults.speech.push(500, 500)
    const page = await ring()
    assert.strictEqual((await page.next("line")).text, "Hello there, this is Rosa.")
    assert.strictEqual(page.played.length, 0)
    page.say("what are your opening hours")
    assert.deepInclude(await page.next("line"), { by: "visitor" })
    const answer = await page.next("line")
    assert.isAtLeast(page.playedMs(await hertzOf(answer.text)), 1_000)
  })

  test(
    "counts in the caps, and gives its slot back",
    async ({ ended, ring }) => {
      const first = await ring()
      const { conversation } = await first.next("ready")
      const second = await ring()
      assert.strictEqual((await second.next("refused")).code, "concurrent_cap")
      first.send({ type: "end" })
      await ended(conversation)
      const third = await ring()
      await third.next("ready")
    },
    { settings: { concurrent_max: 1 } },
  )

  test("takes frames of one size, no faster than they are spoken, and none before the hello", async ({
    ring,
    session,
  }) => {
    const refusal = async (page: { readonly closed: Promise<number>; readonly heard: ReadonlyArray<FromServer> }) => {
      const code = await page.closed
      return [page.heard.find((message) => message.type === "refused")?.code, code]
    }
    const early = await visit(await session(), { hello: null })
    early.send(new Uint8Array(644))
    assert.deepStrictEqual(await refusal(early), ["invalid_message", 1008])
    for (const bytes of [0, 1, 643, 645, 640, 60_000]) {
      const page = await ring()
      await page.next("ready")
      page.send(new Uint8Array(bytes))
      assert.deepStrictEqual(await refusal(page), ["invalid_frame", 1008], `${bytes} bytes`)
    }
    const flood = await ring()
    await flood.next("ready")
    // So few that all may arrive after the refusal: after more than a thousand, the socket is cut without a reason.
    for (let at = 0; at < 1_000; at++) flood.send(new Uint8Array(644).fill(255))
    assert.deepStrictEqual(await refusal(flood), ["rate_limited", 1008])
    const writer = await visit(await session())
    await writer.next("ready")
    writer.send(new Uint8Array(644))
    assert.deepStrictEqual(await refusal(writer), ["invalid_message", 1008])
    const dancer = await visit(await session(), { hello: { mode: "dance" } })
    assert.deepStrictEqual(await refusal(dancer), ["invalid_message", 1008])
  })
})
