/** Work that a tenant can make slow: here while it is cheap, else in a worker, within its time, its memory and its share. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import * as Offload from "../../src/offload/Offload.ts"
import type { AccountEntry } from "../../src/tenancy/AccountDirectory.ts"
import { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { breakDown, double, giveUp, growList, growMap, hoard, jobOf, recurse, spin } from "./Jobs.ts"

const as = (id: string) => Effect.provideService(CurrentTenant, { account: { slug: id } } as AccountEntry)

describe("work of a tenant", () => {
  it.live("has the same result in a worker as here", () =>
    Effect.gen(function* () {
      const few = Offload.inlineSteps - 1
      const many = Offload.inlineSteps + 1
      assert.strictEqual(yield* Offload.run(jobOf(double), few), few * 2)
      assert.strictEqual(yield* Offload.run(jobOf(double), many), many * 2)
    }),
  )

  it.live("that never ends is ended, and the next job has a worker", () =>
    Effect.gen(function* () {
      const overrun = yield* Effect.flip(Offload.run(jobOf(spin), null))
      assert.deepInclude(overrun, { _tag: "Overrun", limit: "time" })
      assert.strictEqual(yield* Offload.run(jobOf(double), 1_000_000), 2_000_000)
    }),
  )

  it.live("that fills its memory or its stack is ended, and the process goes on", () =>
    Effect.gen(function* () {
      const full = { _tag: "Overrun", limit: "memory" } as const
      assert.deepInclude(yield* Effect.flip(Offload.run(jobOf(recurse), 0)), full)
      assert.deepInclude(yield* Effect.flip(Offload.run(jobOf(giveUp), null)), full)
      // On a busy machine its time may be over before its memory is full.
      for (const greedy of [hoard, growList, growMap]) {
        assert.strictEqual((yield* Effect.flip(Offload.run(jobOf(greedy), null)))._tag, "Overrun")
      }
      assert.strictEqual(yield* Offload.run(jobOf(double), 1_000_000), 2_000_000)
    }),
  )

  it.live("that breaks down is a bug of ours, with its stack", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Offload.run(jobOf(breakDown), null))
      assert.isTrue(Exit.isFailure(exit) && /a bug[\s\S]*Jobs\.ts/.test(Cause.pretty(exit.cause)))
    }),
  )

  it.live("whose caller has gone is stopped, whether it has begun or waits", () =>
    Effect.gen(function* () {
      const jobs = yield* Effect.forEach(Array.from({ length: 10 }), () =>
        Effect.forkChild(Offload.run(jobOf(spin), null).pipe(as("impatient")), { startImmediately: true }),
      )
      yield* Effect.forEach(jobs, Fiber.interrupt, { discard: true })
      assert.strictEqual(yield* Offload.run(jobOf(double), 1_000_000).pipe(as("impatient")), 2_000_000)
    }),
  )

  it.live("of one account leaves a worker for another's", () =>
    Effect.gen(function* () {
      let ended = 0
      const endless = Effect.exit(Offload.run(jobOf(spin), null).pipe(as("greedy")))
      const counted = Effect.andThen(
        endless,
        Effect.sync(() => void ended++),
      )
      const flood = yield* Effect.forEach(Array.from({ length: 20 }), () =>
        Effect.forkChild(counted, { startImmediately: true }),
      )
      // Twenty that take all their time one after another are done in 40 s.
      assert.strictEqual(yield* Offload.run(jobOf(double), 1_000_000).pipe(as("modest")), 2_000_000)
      assert.isBelow(ended, 10)
      yield* Effect.forEach(flood, Fiber.interrupt, { discard: true })
    }),
  )

  it.live("is refused when as much of the account's waits as may wait", () =>
    Effect.gen(function* () {
      const asking = Offload.inWorker({ module: jobOf(spin).module, name: "spin" }, null).pipe(as("flooding"))
      const flood = yield* Effect.forEach(Array.from({ length: 1_010 }), () =>
        Effect.forkChild(Effect.exit(asking), { startImmediately: true }),
      )
      const refusal = yield* Effect.flip(asking)
      assert.deepInclude(refusal, { _tag: "Crowded", limit: 1_000 })
      yield* Effect.forEach(flood, Fiber.interrupt, { discard: true })
    }),
  )
})
