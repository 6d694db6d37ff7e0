import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { FromServer } from "../../src/domain/WidgetMessage.ts"
import { spokenRate } from "../../src/speech/Audio.ts"
import type { SpeechRecogniser, Transcript } from "../../src/speech/SpeechToText.ts"
import type { SpeechSynthesiser } from "../../src/speech/TextToSpeech.ts"
import { Chat } from "../../src/telephony/browser/Chat.ts"
import { SoundWire } from "../../src/telephony/browser/SoundWire.ts"
import * as VoiceLine from "../../src/telephony/browser/VoiceLine.ts"
import { byLevel } from "../../src/speech/detection/VoiceDetection.ts"
import { MediaClock } from "../../src/telephony/MediaClock.ts"
import type { Line, LineEvent } from "../../src/telephony/Telephony.ts"
import { type Sound, talking } from "../support/Sounds.ts"

const agent = { language: "en", voice: { provider: "lab", id: "default", speed: 1 } }

/** A line whose page plays what it gets and speaks what it is told to, 20 ms at a time, in time that the test makes. */
const staged = Effect.gen(function* () {
  const results = yield* Queue.unbounded<Transcript>()
  const segments: Array<readonly [number, number]> = []
  let stopped = 0
  const recogniser: SpeechRecogniser = {
    rates: [16_000],
    open: () =>
      Effect.succeed({
        push: () => {},
        finalise: (from, to) => void segments.push([from, to]),
        discard: () => {},
        results: Stream.fromQueue(results),
      }),
  }
  /** Two seconds of sound at once, and then a voice that never comes to its end. */
  const synthesiser: SpeechSynthesiser = {
    rates: [spokenRate],
    speak: () =>
      Stream.make(Int16Array.from({ length: spokenRate * 2 }, (_, at) => 5_000 * (-1) ** at)).pipe(
        Stream.concat(Stream.never),
        Stream.ensuring(Effect.sync(() => void stopped++)),
      ),
  }
  const messages: Array<FromServer> = []
  const events: Array<LineEvent & { readonly now: number }> = []
  const played: Array<{ readonly number: number; readonly now: number }> = []
  let waiting: Array<number> = []
  const wire = new SoundWire()
  const chat = new Chat("secret", () => {}, false)
  chat.join((message) => {
    messages.push(message)
    if (message.type === "sound" && message.do === "clear")
      waiting = waiting.filter((number) => number >= message.frame)
  }, 0)
  const clock = yield* MediaClock
  const line: Line = yield* VoiceLine.make(
    { recogniser, synthesiser, clock, detection: byLevel },
    "own",
    agent,
    chat,
    wire,
  )
  wire.join((bytes) => {
    waiting.push(new DataView(bytes.buffer).getUint32(0, true))
    return true
  })
  let now = 0
  yield* line.attach((event) => void events.push({ ...event, now }))
  const isHeld = () => messages.findLast(({ type }) => type === "sound")
  /** What is said meanwhile; silence if nothing is. `react` is what a conductor would do at once. */
  const pass = Effect.fnUntraced(function* (
    ms: number,
    said: Sound = new Int16Array((16_000 * ms) / 1_000),
    react: Effect.Effect<void> = Effect.void,
  ) {
    for (let at = 0; at < ms; at += 20) {
      yield* TestClock.adjust("20 millis")
      now = yield* Clock.currentTimeMillis
      const order = isHeld()
      const held = order?.type === "sound" && order.do === "hold"
      const number = held ? undefined : waiting.shift()
      if (number !== undefined) played.push({ number, now })
      const bytes = new Uint8Array(644)
      const view = new DataView(bytes.buffer)
      view.setUint32(0, played.at(-1)?.number ?? 0, true)
      said.subarray(at * 16, (at + 20) * 16).forEach((sample, index) => view.setInt16(4 + index * 2, sample, true))
      wire.hear(bytes)
      yield* react
    }
  })
  return { line, pass, events, messages, played, results, segments, wire, chat, stopped: () => stopped }
})

const test = (name: string, body: (stage: Effect.Success<typeof staged>) => Effect.Effect<void>) =>
  it.effect(name, () => staged.pipe(Effect.flatMap(body), Effect.scoped, Effect.provide(MediaClock.layer)))

describe("a line by voice", () => {
  test("is silent for the visitor 240 ms after an interruption began, even if the voice still produces sound", ({
    events,
    line,
    pass,
    played,
    stopped,
  }) =>
    Effect.gen(function* () {
      yield* line.play({ id: 1, text: "We are open from Monday to Friday.", interruptible: true })
      yield* pass(1_000)
      const onset = played.at(-1)?.now ?? 0
      assert.isAbove(onset, 900)
      let isHeld = false
      const hold = Effect.suspend(() => {
        if (isHeld || !events.some(({ _tag }) => _tag === "SpeechStarted")) return Effect.void
        isHeld = true
        return line.hold
      })
      yield* pass(900, talking(900, [{ from: 0, to: 900 }], -20), hold)
      const [started] = events.filter(({ _tag }) => _tag === "SpeechStarted")
      assert.approximately((started as { at: number }).at, onset, 40)
      assert.isAtLeast((started?.now ?? 0) - onset, 180)
      const silentFrom = played.at(-1)?.now ?? 0
      assert.isAtMost(silentFrom - onset, 240)
      const { playing } = yield* line.moment
      assert.approximately(playing?.played_ms ?? 0, silentFrom, 60)
      yield* line.cut
      yield* pass(1_000)
      assert.strictEqual(played.at(-1)?.now, silentFrom)
      assert.strictEqual(stopped(), 1)
    }))

  test("keeps the words that were heard, and reports where it was cut", ({ line, messages, pass }) =>
    Effect.gen(function* () {
      yield* line.play({ id: 1, text: "We are open from Monday to Friday, nine to five.", interruptible: true })
      yield* pass(1_000)
      yield* line.cut
      const said = messages.findLast(({ type }) => type === "line")
      assert.deepInclude(said, { by: "agent", interrupted: true })
      assert.match((said as { text: string }).text, /^We are( open)?$/)
    }))

  test("reports speech with the times at which it was spoken, and its words when they are known", ({
    events,
    pass,
    results,
    segments,
  }) =>
    Effect.gen(function* () {
      yield* pass(500)
      yield* pass(1_500, talking(1_500, [{ from: 100, to: 1_000 }], -20))
      const [[from, to] = [0, 0]] = segments
      assert.approximately(from, 600, 60)
      assert.approximately(to, 1_500, 120)
      yield* Queue.offer(results, { final: true, text: "Hello.", started_ms: from, ended_ms: to })
      yield* pass(20)
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["SpeechStarted", "SpeechEnded", "Utterance"],
      )
      yield* Queue.offer(results, { final: true, text: "", started_ms: 0, ended_ms: 0 })
      yield* Queue.offer(results, { final: true, text: null, started_ms: 0, ended_ms: 0 })
      yield* pass(20)
      assert.deepStrictEqual(
        events.slice(3).map(({ _tag }) => _tag),
        ["Misheard"],
      )
    }))

  test("is lost when its page sends nothing for twenty seconds", ({ events, pass }) =>
    Effect.gen(function* () {
      yield* pass(200)
      yield* TestClock.adjust("19 seconds")
      assert.deepStrictEqual(events, [])
      yield* TestClock.adjust("2 seconds")
      assert.deepInclude(events[0], { _tag: "Gone", how: "lost" })
    }))

  test("tells a page that reconnects what it has missed: what was dropped, and that the agent is silent", ({
    line,
    messages,
    pass,
    wire,
  }) =>
    Effect.gen(function* () {
      const sounds = () => messages.flatMap((message) => (message.type === "sound" ? [message] : []))
      yield* line.play({ id: 1, text: "We are open from Monday to Friday.", interruptible: true })
      yield* pass(400)
      yield* line.hold
      const numbers: Array<number> = []
      const next = (bytes: Uint8Array) => numbers.push(new DataView(bytes.buffer).getUint32(0, true)) > 0
      wire.join(next)
      const [clear, hold] = sounds().slice(-2)
      assert.deepInclude(clear, { do: "clear" })
      assert.deepInclude(hold, { do: "hold" })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(numbers, [])
      yield* line.cut
      const cutAt = sounds().at(-1)?.frame ?? 0
      wire.join(() => true)
      assert.deepInclude(sounds().at(-1), { do: "clear", frame: cutAt })
    }))

  test("waits for a page that reconnects", ({ events, pass, wire }) =>
    Effect.gen(function* () {
      yield* pass(200)
      const other = () => true
      wire.join(other)
      wire.part(other)
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(events, [])
    }))

  test("gives a page that reconnects late as much time for its first sound as any page", ({ events, pass, wire }) =>
    Effect.gen(function* () {
      yield* pass(200)
      const other = () => true
      wire.join(other)
      wire.part(other)
      yield* TestClock.adjust("40 seconds")
      wire.join(other)
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual(events, [])
      yield* TestClock.adjust("2 seconds")
      assert.deepInclude(events[0], { _tag: "Gone", how: "lost" })
    }))
})
