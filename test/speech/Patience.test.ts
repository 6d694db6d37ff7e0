/** Waiting for a word or a time. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Patience from "../../src/speech/Patience.ts"

describe("patience", () => {
  it.effect("a word ends it before its time", () =>
    Effect.gen(function* () {
      const patience = yield* Patience.make
      const waiting = yield* Effect.forkChild(
        patience.wait(() => 60_000),
        { startImmediately: true },
      )
      patience.end()
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(waiting)))
    }),
  )

  it.effect("it ends with its time, and not before", () =>
    Effect.gen(function* () {
      const patience = yield* Patience.make
      const waiting = yield* Effect.forkChild(
        patience.wait(() => 1_000),
        { startImmediately: true },
      )
      yield* TestClock.adjust(999)
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.isDefined(waiting.pollUnsafe())
    }),
  )

  it.effect("without a time it waits for the word alone", () =>
    Effect.gen(function* () {
      const patience = yield* Patience.make
      const waiting = yield* Effect.forkChild(
        patience.wait(() => Infinity),
        { startImmediately: true },
      )
      yield* TestClock.adjust("1 day")
      assert.isUndefined(waiting.pollUnsafe())
      patience.end()
      yield* Fiber.join(waiting)
    }),
  )

  it.effect("no time left is no wait", () =>
    Effect.gen(function* () {
      const patience = yield* Patience.make
      yield* patience.wait(() => 0)
      yield* patience.wait(() => -5)
    }),
  )

  it.effect("the word of a former wait does not end the next", () =>
    Effect.gen(function* () {
      const patience = yield* Patience.make
      const first = yield* Effect.forkChild(
        patience.wait(() => 1_000),
        { startImmediately: true },
      )
      yield* TestClock.adjust(1_000)
      yield* Fiber.join(first)
      patience.end()
      const second = yield* Effect.forkChild(
        patience.wait(() => 1_000),
        { startImmediately: true },
      )
      yield* TestClock.adjust(500)
      assert.isUndefined(second.pollUnsafe())
      yield* Fiber.interrupt(second)
    }),
  )
})
