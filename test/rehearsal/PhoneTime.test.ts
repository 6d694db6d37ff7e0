/** The time of a rehearsed call: no real time passes for it, and real work takes none of it. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as PhoneTime from "../../src/rehearsal/PhoneTime.ts"

const now = Clock.currentTimeMillis

describe("phone time", () => {
  it.live("an hour of silence takes no time, and is an hour", () =>
    Effect.gen(function* () {
      const time = yield* PhoneTime.make
      const began = yield* now
      const passed = yield* time.within(
        Effect.gen(function* () {
          const before = yield* now
          yield* Effect.sleep("1 hour")
          return (yield* now) - before
        }),
      )
      assert.strictEqual(passed, 3_600_000)
      assert.isBelow((yield* now) - began, 60_000)
    }),
  )

  it.live("a shorter sleep ends first, whichever began first", () =>
    Effect.gen(function* () {
      const time = yield* PhoneTime.make
      const woken: Array<number> = []
      const sleeper = (ms: number) =>
        Effect.andThen(
          Effect.sleep(ms),
          Effect.sync(() => woken.push(ms)),
        )
      yield* time.within(Effect.all([300, 100, 200].map(sleeper), { concurrency: "unbounded" }))
      assert.deepStrictEqual(woken, [100, 200, 300])
    }),
  )

  it.live("stands still while something is done outside, which lives by its own time", () =>
    Effect.gen(function* () {
      const time = yield* PhoneTime.make
      const waited = yield* time.within(
        Effect.gen(function* () {
          const before = yield* now
          const work = time.outside(Effect.andThen(Effect.sleep("30 millis"), Effect.succeed("done")))
          const won = yield* Effect.race(work, Effect.as(Effect.sleep("20 seconds"), "too late"))
          return { won, passed: (yield* now) - before }
        }),
      )
      assert.deepStrictEqual(waited, { won: "done", passed: 0 })
    }),
  )
})
