import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { SpeechRecogniser } from "../../src/speech/SpeechToText.ts"
import type { SpeechSynthesiser } from "../../src/speech/TextToSpeech.ts"
import { byLevel } from "../../src/speech/detection/VoiceDetection.ts"
import { MediaClock } from "../../src/telephony/MediaClock.ts"
import * as SoundLine from "../../src/telephony/SoundLine.ts"
import { dose } from "../support/Dose.ts"
import { MemoryPath } from "../support/MemoryPath.ts"
import { rate, telephone, testLine as test } from "../support/SoundLineStage.ts"
import { quiet, talking } from "../support/Sounds.ts"
import { joined, shareAt, sine } from "../support/ToneCode.ts"
import { plainly } from "../support/ToneLine.ts"

/** The full dose has as many as the promise names. */
const cuts = dose(300, 10_000)

describe("a line over a telephone's sound", () => {
  test("lowers the agent's voice when the other side may be interrupting, before it reports speech", ({
    line,
    pass,
    path,
    told,
  }) =>
    Effect.gen(function* () {
      yield* line.play({ id: 1, text: "A long story.", interruptible: true })
      yield* pass(400)
      path.say(talking(4_000, [{ from: 0, to: 800 }], -20))
      for (let waited = 0; path.orders.length === 0 && waited < 400; waited += 20) yield* pass(20)
      assert.deepStrictEqual(path.orders, ["duck"])
      assert.deepStrictEqual(told("SpeechStarted"), [])
      yield* pass(1_400)
      assert.lengthOf(told("SpeechStarted"), 1)
      assert.deepStrictEqual(path.orders, ["duck", "unduck"])
    }))

  test("reports the tone of a machine when it is over", ({ pass, path, told }) =>
    Effect.gen(function* () {
      path.say(
        quiet(
          500,
          Int16Array.from({ length: 8_000 }, (_, at) => 4_000 * Math.sin((2 * Math.PI * 1_000 * at) / 16_000)),
        ),
      )
      yield* pass(900)
      assert.deepStrictEqual(told("Beep"), [])
      yield* pass(400)
      assert.strictEqual(told("Beep").length, 1)
    }))

  test("sends one frame at each tick, and counts it as heard when the other side's buffer has played it", ({
    line,
    pass,
    path,
    told,
  }) =>
    Effect.gen(function* () {
      yield* pass(100)
      yield* line.play({ id: 1, text: "Hello.", interruptible: true })
      const before = path.sent.length
      yield* pass(500)
      const { at, playing } = yield* line.moment
      const sent = path.sent.slice(before)
      assert.isTrue(sent.every((frame) => frame?.length === 160))
      assert.strictEqual(playing?.played_ms, (sent.length - 3) * 20)
      assert.approximately(at, 600, 20)
      yield* pass(700)
      assert.strictEqual(path.sent.filter((frame) => frame !== null).length, 50)
      const [played] = told("Played")
      const last = path.sent.findLastIndex((frame) => frame !== null) * 20
      assert.deepInclude(played, { piece: 1, ended_ms: last + 60, started_ms: last - 49 * 20 + 40 })
    }))

  test("falls silent within a frame of a hold or a cut, and goes on with the next frame", ({
    line,
    pass,
    path,
    told,
  }) =>
    Effect.gen(function* () {
      const spoken = () => path.sent.filter((frame) => frame !== null).length
      yield* line.play({ id: 1, text: "Hello there.", interruptible: true })
      yield* pass(200)
      yield* line.hold
      const held = spoken()
      yield* pass(300)
      assert.strictEqual(spoken(), held)
      const { playing } = yield* line.moment
      assert.strictEqual(playing?.played_ms, held * 20)
      yield* line.resume
      yield* pass(200)
      assert.strictEqual(spoken(), held + 10)
      yield* line.cut
      yield* pass(1_000)
      assert.strictEqual(spoken(), held + 10)
      assert.deepStrictEqual(told("Played"), [])
      assert.deepStrictEqual(path.orders, ["hold", "resume", "clear"])
    }))

  it.effect(`sends no frame of a reply after it was cut, in ${cuts} cuts, even if its voice still produces sound`, () =>
    Effect.gen(function* () {
      const voices: Array<Queue.Queue<Int16Array>> = []
      const speak = () =>
        Stream.unwrap(
          Effect.map(Queue.unbounded<Int16Array>(), (voice) => {
            voices.push(voice)
            return Stream.fromQueue(voice)
          }),
        )
      const nothing = Effect.succeed({ push() {}, finalise() {}, discard() {}, results: Stream.never })
      const recogniser: SpeechRecogniser = { rates: [rate], open: () => nothing }
      const synthesiser: SpeechSynthesiser = { rates: [rate], speak }
      const path = new MemoryPath()
      const equipment = { recogniser, synthesiser, clock: yield* MediaClock, detection: byLevel }
      const line = yield* SoundLine.make(equipment, { ...plainly(path), meetsMachines: false })
      yield* line.attach(() => {})
      /** 100 ms of a sound of which each sample says whose it is. */
      const soundOf = (reply: number) =>
        Int16Array.from({ length: rate / 10 }, (_, at) => (1_000 + (reply % 30) * 1_000) * (-1) ** at)
      const give = (reply: number) => voices.forEach((voice) => Queue.offerUnsafe(voice, soundOf(reply)))
      let spoken = 0
      for (let reply = 1; reply <= cuts; reply++) {
        voices.length = 0
        yield* line.play({ id: 2 * reply, text: "We are open.", interruptible: true })
        yield* line.play({ id: 2 * reply + 1, text: "From nine.", interruptible: true })
        while (voices.length < 2) yield* Effect.yieldNow
        for (let pushed = reply % 3; pushed >= 0; pushed--) give(reply)
        yield* TestClock.adjust(`${20 * (reply % 8)} millis`)
        if (reply % 5 === 0) yield* line.hold
        const frames = path.sent.filter((frame) => frame !== null)
        assert.isTrue(
          frames.every(([sample]) => sample === soundOf(reply)[0]),
          `before cut ${reply}`,
        )
        if (frames.length > 0) spoken++
        yield* line.cut
        path.sent.length = 0
        give(reply)
        if (reply % 2 === 0) yield* TestClock.adjust("60 millis")
        // What goes out before the next cut is of a later reply, or silence.
        assert.isFalse(
          path.sent.some((frame) => frame !== null),
          `after cut ${reply}`,
        )
      }
      yield* TestClock.adjust("200 millis")
      assert.isFalse(path.sent.some((frame) => frame !== null))
      assert.isAbove(spoken, cuts / 2)
    }).pipe(Effect.scoped, Effect.provide(MediaClock.layer)),
  )

  test("reports speech of 8 kHz, when it was spoken, and its words", ({ events, pass, path, results, segments }) =>
    Effect.gen(function* () {
      yield* pass(500)
      path.say(talking(1_500, [{ from: 0, to: 1_000 }], -20))
      yield* pass(1_500)
      const [segment] = segments
      assert.approximately(segment?.from ?? 0, 500, 60)
      assert.approximately(segment?.to ?? 0, 1_500, 120)
      yield* Queue.offer(results, { final: true, text: "Hello.", started_ms: 500, ended_ms: 1_500 })
      yield* pass(20)
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["SpeechStarted", "SpeechEnded", "Utterance"],
      )
    }))

  test("reports the words of speech in progress, and none in a silence", ({ events, pass, results }) =>
    Effect.gen(function* () {
      yield* Queue.offerAll(results, [
        { final: false, text: "" },
        { final: false, text: "wait" },
        { final: false, text: "wait please" },
        { final: true, text: "Wait, please.", started_ms: 0, ended_ms: 400 },
      ])
      yield* pass(20)
      assert.deepStrictEqual(events, [
        { _tag: "Words", text: "wait" },
        { _tag: "Words", text: "wait please" },
        { _tag: "Utterance", text: "Wait, please.", started_ms: 0, ended_ms: 400 },
      ])
    }))

  test(
    "plays a voice of 24 kHz at its pitch and length",
    ({ line, pass, path }) =>
      Effect.gen(function* () {
        yield* line.play({ id: 1, text: "Hello.", interruptible: true })
        yield* pass(1_500)
        const sent = path.sent.filter((frame) => frame !== null)
        assert.approximately(sent.length, 50, 1)
        assert.isAbove(shareAt(1_000, joined(...sent.slice(1, 49)), rate), 0.99)
      }),
    { ...telephone, spoken: 24_000, said: sine(1_000, 1_000, 24_000) },
  )

  test(
    "gives a recogniser of 16 kHz the pitch and the length of what was said",
    ({ pass, path, pushed, segments }) =>
      Effect.gen(function* () {
        yield* pass(500)
        path.say(quiet(200, sine(1_000, 1_000, 16_000)))
        yield* pass(2_000)
        assert.lengthOf(segments, 1)
        assert.isTrue(pushed.every((frame) => frame.length === 320))
        assert.isAbove(shareAt(1_000, joined(...pushed.slice(20, 60)), 16_000), 0.99)
      }),
    { ...telephone, heard: 16_000 },
  )

  test("treats sound 16 dB below its own as an echo, and louder sound as a voice", ({ line, pass, path, told }) =>
    Effect.gen(function* () {
      const loudness = -16
      yield* line.play({ id: 1, text: "Hello there.", interruptible: true })
      yield* pass(100)
      path.say(talking(400, [{ from: 0, to: 400 }], loudness - 16))
      yield* pass(400)
      assert.deepStrictEqual(told("SpeechStarted"), [])
      path.say(talking(450, [{ from: 0, to: 450 }], loudness - 4))
      yield* pass(450)
      assert.lengthOf(told("SpeechStarted"), 1)
    }))

  test("ends the speech of a caller who hangs up while speaking, and still reports the words", ({
    events,
    pass,
    path,
    results,
    segments,
  }) =>
    Effect.gen(function* () {
      path.say(talking(2_000, [{ from: 0, to: 2_000 }], -20))
      yield* pass(1_000)
      path.listener?.gone("hung_up")
      assert.lengthOf(segments, 1)
      yield* Queue.offer(results, { final: true, text: "Never call me again.", started_ms: 0, ended_ms: 900 })
      yield* pass(20)
      assert.deepStrictEqual(events.slice(-3), [
        { _tag: "Gone", how: "hung_up", hears: true },
        { _tag: "Utterance", text: "Never call me again.", started_ms: 0, ended_ms: 900 },
        { _tag: "HeardOut" },
      ])
    }))

  test("reports the end of hearing after the words of each stretch, without waiting for one that the recogniser missed", ({
    events,
    pass,
    path,
    results,
    segments,
  }) =>
    Effect.gen(function* () {
      for (let count = 0; count < 3; count++) {
        path.say(talking(1_500, [{ from: 0, to: 800 }], -20))
        yield* pass(2_000)
      }
      const [, second, third] = segments
      const wordsOf = (text: string, segment: typeof second) => {
        const { from = 0, to = 0 } = segment ?? {}
        return { final: true, text, started_ms: from, ended_ms: to } as const
      }
      path.listener?.gone("hung_up")
      yield* Queue.offerAll(results, [wordsOf("Never call", second), wordsOf("me again.", third)])
      yield* pass(20)
      assert.deepStrictEqual(
        events.slice(-4).map((event) => ("text" in event ? event.text : event._tag)),
        ["Gone", "Never call", "me again.", "HeardOut"],
      )
    }))

  test("does not wait after the end for a stretch without words if a later one has got its words", ({
    events,
    pass,
    path,
    results,
    segments,
  }) =>
    Effect.gen(function* () {
      for (let count = 0; count < 2; count++) {
        path.say(talking(1_500, [{ from: 0, to: 800 }], -20))
        yield* pass(2_000)
      }
      const { from = 0, to = 0 } = segments[1] ?? {}
      yield* Queue.offer(results, { final: true, text: "Goodbye.", started_ms: from, ended_ms: to })
      yield* pass(20)
      path.listener?.gone("hung_up")
      assert.deepStrictEqual(events.at(-1), { _tag: "Gone", how: "hung_up" })
    }))

  test("reports keys, holds and the end once each, and sends keys", ({ events, line, path }) =>
    Effect.gen(function* () {
      path.listener?.key("5")
      path.listener?.peerHeld()
      path.listener?.peerBack()
      path.listener?.gone("hung_up")
      path.listener?.gone("lost")
      yield* line.sendDigits("12#")
      assert.deepStrictEqual(events, [
        { _tag: "Key", digit: "5" },
        { _tag: "PeerHeld" },
        { _tag: "PeerBack" },
        { _tag: "Gone", how: "hung_up" },
      ])
      assert.deepStrictEqual(path.orders, ["digits 12#"])
    }))
})
