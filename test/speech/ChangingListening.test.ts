import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { openChanging } from "../../src/speech/ChangingListening.ts"
import type { SpeechRecogniser, Transcript } from "../../src/speech/SpeechToText.ts"

/** Understands the language and the number of frames of each stretch, when it is told to. */
const recogniser = () => {
  const closed: Array<string> = []
  const waiting: Array<() => void> = []
  const port: SpeechRecogniser = {
    rates: [8_000],
    open: Effect.fnUntraced(function* ({ language }) {
      const results = yield* Queue.unbounded<Transcript>()
      yield* Effect.addFinalizer(() => Effect.sync(() => void closed.push(language)))
      let frames = 0
      return {
        push: () => void frames++,
        finalise: (started_ms, ended_ms) => {
          const text = `${language} ${frames}`
          waiting.push(() => Queue.offerUnsafe(results, { final: true, text, started_ms, ended_ms }))
          frames = 0
        },
        discard: () => void (frames = 0),
        results: Stream.fromQueue(results),
      }
    }),
  }
  return {
    port,
    closed,
    understand: () => waiting.splice(0).forEach((tell) => tell()),
    misses: (count: number) => void waiting.splice(0, count),
  }
}

describe("a recogniser whose language changes", () => {
  it.effect("hears the next frames in the new language, and still gives the results of the one before", () =>
    Effect.gen(function* () {
      const { closed, port, understand } = recogniser()
      const listening = yield* openChanging(port, { language: "en", rate: 8_000 })
      const heard: Array<string | null> = []
      yield* listening.results.pipe(
        Stream.runForEach(({ text }) => Effect.sync(() => void heard.push(text))),
        Effect.forkScoped,
      )
      const frame = new Int16Array(160)
      listening.push(frame)
      listening.finalise(0, 20)
      yield* listening.changeTo("de")
      listening.push(frame)
      listening.push(frame)
      listening.finalise(40, 80)
      yield* TestClock.adjust("1 second")
      understand()
      yield* TestClock.adjust("1 second")
      assert.sameMembers(heard, ["en 1", "de 2"])
      assert.deepStrictEqual(closed, [])
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(closed, ["en"])
    }).pipe(Effect.scoped),
  )

  it.effect(
    "owes the words of each stretch until they come, until those of a later one come, or until it is closed",
    () =>
      Effect.gen(function* () {
        const { misses, port, understand } = recogniser()
        const listening = yield* openChanging(port, { language: "en", rate: 8_000 })
        yield* Effect.forkScoped(Stream.runDrain(listening.results))
        assert.isFalse(listening.isOwed())
        listening.finalise(0, 20)
        listening.finalise(40, 80)
        assert.isTrue(listening.isOwed())
        misses(1)
        understand()
        yield* TestClock.adjust("1 millis")
        assert.isFalse(listening.isOwed(), "the first one was missed")

        listening.finalise(100, 120)
        misses(1)
        yield* listening.changeTo("de")
        listening.finalise(140, 160)
        understand()
        yield* TestClock.adjust("1 millis")
        assert.isTrue(listening.isOwed(), "the recogniser of the language before may still give its words")
        yield* TestClock.adjust("5 seconds")
        assert.isFalse(listening.isOwed())
      }).pipe(Effect.scoped),
  )
})
