import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue, Stream } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import * as FallbackRecogniser from "../../src/speech/providers/FallbackRecogniser.ts"
import type { Recogniser } from "../../src/speech/Ear.ts"
import type { SpeechRecogniser, Transcript } from "../../src/speech/SpeechToText.ts"
import { longestTick, mostMs } from "../support/LongestTick.ts"
import { until } from "../support/Until.ts"

const rate = 16_000
const frame = (value: number) => new Int16Array(rate / 50).fill(value)

/** A provider that recognises what the test says, and keeps the first sample of every frame. */
const providerAt = (rate: number) => {
  const opened: Array<Queue.Queue<Transcript>> = []
  const heard: Array<number> = []
  const finalised: Array<readonly [number, number]> = []
  let discarded = 0
  const recogniser: SpeechRecogniser = {
    rates: [rate],
    open: () =>
      Effect.gen(function* () {
        const results = yield* Queue.unbounded<Transcript>()
        opened.push(results)
        return {
          push: (frame: Int16Array) => void heard.push(frame[0] ?? 0),
          finalise: (from: number, to: number) => void finalised.push([from, to]),
          discard: () => void discarded++,
          results: Stream.fromQueue(results),
        }
      }),
  }
  const answer = (at: number, text: string | null, isRefused = false) =>
    Effect.gen(function* () {
      yield* Queue.offer(opened.at(-1)!, {
        final: true,
        text,
        isRefused,
        started_ms: at * 1_000,
        ended_ms: at * 1_000 + 500,
      })
      yield* TestClock.adjust(20)
    })
  return { recogniser, opened, heard, finalised, answer, discarded: () => discarded }
}

const staged = Effect.sync(() => {
  const first = providerAt(rate)
  const second = providerAt(rate)
  const both = FallbackRecogniser.make(
    new Map([
      ["first", first.recogniser],
      ["second", second.recogniser],
    ]),
  )
  const results: Array<Transcript> = []
  const call = Effect.gen(function* () {
    const listening = yield* both.open({ language: "en", rate })
    yield* Effect.forkScoped(Stream.runForEach(listening.results, (result) => Effect.sync(() => results.push(result))))
    return listening
  })
  const say = (listening: Recogniser, at: number) => {
    listening.push(frame(at))
    listening.push(frame(at))
    listening.finalise(at * 1_000, at * 1_000 + 500)
  }
  return { first, second, call, say, results, texts: () => results.map(({ text }) => text) }
})

describe("a recogniser made of two providers", () => {
  it.effect("opens the second one only for speech that the first one did not recognise", () =>
    Effect.gen(function* () {
      const { call, first, say, second, texts } = yield* staged
      const listening = yield* call
      say(listening, 1)
      yield* first.answer(1, "One.")
      assert.lengthOf(second.opened, 0)
      say(listening, 2)
      yield* first.answer(2, null)
      assert.deepStrictEqual(second.heard, [2, 2])
      assert.deepStrictEqual(second.finalised, [[2_000, 2_500]])
      yield* second.answer(2, "Two.")
      assert.deepStrictEqual(texts(), ["One.", "Two."])
      const metrics = yield* PrometheusMetrics.format()
      assert.match(metrics, /parley_speech_failovers_total\{(?=.*from="first")(?=.*to="second")[^}]*\} 1\n/)
      assert.match(metrics, /parley_speech_failures_total\{(?=.*provider="first")(?=.*kind="stt")[^}]*\} 1\n/)
    }).pipe(Effect.scoped),
  )
  it.effect("tells results in the order in which they were spoken, and words so far at once", () =>
    Effect.gen(function* () {
      const { call, first, say, second, texts } = yield* staged
      const listening = yield* call
      say(listening, 1)
      say(listening, 2)
      yield* first.answer(1, null)
      yield* first.answer(2, "Two.")
      yield* Queue.offer(first.opened[0]!, { final: false, text: "thr" })
      yield* TestClock.adjust(20)
      assert.deepStrictEqual(texts(), ["thr"])
      yield* second.answer(1, "One.")
      assert.deepStrictEqual(texts(), ["thr", "One.", "Two."])
    }).pipe(Effect.scoped),
  )
  it.effect("lets the second one hear the call, and new calls for half a minute, after two failures in a row", () =>
    Effect.gen(function* () {
      const { call, first, say, second, texts } = yield* staged
      const listening = yield* call
      for (const at of [1, 2]) {
        say(listening, at)
        yield* first.answer(at, null)
        yield* second.answer(at, `${at}`)
      }
      say(listening, 3)
      assert.deepStrictEqual(first.heard, [1, 1, 2, 2])
      assert.deepStrictEqual(second.heard, [1, 1, 2, 2, 3, 3])
      yield* second.answer(3, "3")
      say(yield* call, 4)
      assert.deepStrictEqual(second.heard.slice(-2), [4, 4])
      yield* TestClock.adjust("31 seconds")
      say(yield* call, 5)
      assert.deepStrictEqual(first.heard.slice(-2), [5, 5])
      assert.deepStrictEqual(texts(), ["1", "2", "3"])
    }).pipe(Effect.scoped),
  )
  it.effect("keeps the first one for other calls where it only refuses this call's speech", () =>
    Effect.gen(function* () {
      const { call, first, say, second } = yield* staged
      const listening = yield* call
      for (const at of [1, 2]) {
        say(listening, at)
        yield* first.answer(at, null, true)
        yield* second.answer(at, `${at}`)
      }
      say(listening, 3)
      assert.deepStrictEqual(first.heard, [1, 1, 2, 2])
      say(yield* call, 4)
      assert.deepStrictEqual(first.heard, [1, 1, 2, 2, 4, 4])
      assert.deepStrictEqual(second.heard, [1, 1, 2, 2, 3, 3])
    }).pipe(Effect.scoped),
  )
  it.effect("tells that words are lost when no provider recognises them", () =>
    Effect.gen(function* () {
      const { call, first, say, second, texts } = yield* staged
      const listening = yield* call
      listening.push(frame(9))
      listening.discard()
      say(listening, 1)
      yield* first.answer(1, null)
      yield* second.answer(1, null)
      assert.deepStrictEqual(texts(), [null])
      assert.strictEqual(first.discarded(), 1)
      assert.deepStrictEqual(second.heard, [1, 1])
    }).pipe(Effect.scoped),
  )
  it.effect("goes on after speech for which no result comes", () =>
    Effect.gen(function* () {
      const { call, first, say, texts } = yield* staged
      const listening = yield* call
      say(listening, 1)
      say(listening, 2)
      yield* first.answer(2, "Two.")
      assert.deepStrictEqual(texts(), ["", "Two."])
    }).pipe(Effect.scoped),
  )
  it.live("passes half a minute on to a provider of another rate without holding the event loop", () => {
    const passOn = Effect.gen(function* () {
      const [first, second] = [providerAt(8_000), providerAt(24_000)]
      const both = FallbackRecogniser.make(
        new Map([
          ["first", first.recogniser],
          ["second", second.recogniser],
        ]),
      )
      const listening = yield* both.open({ language: "en", rate: 8_000 })
      for (let at = 0; at < 1_500; at++) listening.push(new Int16Array(160))
      listening.finalise(0, 30_000)
      Queue.offerUnsafe(first.opened[0]!, { final: true, text: null, started_ms: 0, ended_ms: 30_000 })
      yield* Effect.promise(() => until(() => second.finalised.length === 1))
      assert.lengthOf(second.heard, 1_500)
    }).pipe(Effect.scoped)
    return Effect.promise(async () => {
      assert.isBelow(await longestTick(() => Effect.runPromise(passOn)), mostMs)
    })
  })
})
