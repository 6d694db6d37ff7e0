import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { MediaClock } from "../../src/telephony/MediaClock.ts"

it.effect("every 20 ms all are called; one that breaks is told so and let go, and takes nobody along", () =>
  Effect.gen(function* () {
    const clock = yield* MediaClock
    const ticks: Array<string> = []
    const breaks = () => {
      ticks.push("breaks")
      throw new Error("no such frame")
    }
    yield* clock.attach(breaks, () => void ticks.push("broken"))
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* clock.attach(
          () => void ticks.push("goes on"),
          () => assert.fail("It is not broken"),
        )
        yield* TestClock.adjust("60 millis")
      }),
    )
    yield* TestClock.adjust("60 millis")
    assert.deepStrictEqual(ticks.slice(0, 3), ["breaks", "broken", "goes on"])
    assert.deepStrictEqual(new Set(ticks.slice(3)), new Set(["goes on"]))
    assert.closeTo(ticks.length, 6, 1)
  }).pipe(Effect.scoped, Effect.provide(MediaClock.layer)),
)
