/** Turns of the event loop: how much of one is anybody's. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Turns from "../src/Turns.ts"

/** Work that lets nobody by while it lasts. */
const busyFor = (milliseconds: number) => {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}

describe("turns of the event loop", () => {
  it.live("whoever has something to do in the same moment does it in the order of coming", () =>
    Effect.gen(function* () {
      const done: Array<number> = []
      const one = (at: number) => Effect.map(Effect.yieldNow, () => void done.push(at))
      yield* Effect.forEach(
        Array.from({ length: 1_000 }, (_, at) => at),
        one,
        { concurrency: "unbounded" },
      )
      assert.deepStrictEqual(
        done,
        done.toSorted((a, b) => a - b),
      )
      assert.lengthOf(done, 1_000)
    }).pipe(Effect.provide(Turns.layer)),
  )

  it.live("a hundred that are long together let what is outside of them by, and are all done", () =>
    Effect.gen(function* () {
      let done = 0
      const one = Effect.map(Effect.yieldNow, () => {
        busyFor(1)
        done++
      })
      const outside: Array<number> = []
      const watch = setInterval(() => outside.push(done), 1)
      yield* Effect.forEach(Array.from({ length: 100 }), () => one, { concurrency: "unbounded", discard: true })
      clearInterval(watch)
      assert.strictEqual(done, 100)
      // Each look found some two more done; what came late itself has fewer.
      for (const [at, seen] of [...outside, done].entries()) assert.isAtMost(seen - (outside[at - 1] ?? 0), 20)
    }).pipe(Effect.provide(Turns.layer)),
  )

  it.live("who is stopped before its turn has none", () =>
    Effect.gen(function* () {
      let done = false
      const late = Effect.map(Effect.yieldNow, () => void (done = true))
      const fiber = yield* Effect.forkChild(late, { startImmediately: true })
      fiber.interruptUnsafe()
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      assert.isFalse(done)
    }).pipe(Effect.provide(Turns.layer)),
  )
})
