import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { NotAMember, Unauthenticated } from "../../src/domain/Principal.ts"
import { AccountUnavailable } from "../../src/domain/Account.ts"
import { whileStanding } from "../../src/identity/Standing.ts"

const gone = new Unauthenticated({ detail: "gone" })

describe("who stays connected", () => {
  it.effect("is checked again at least every 30 seconds, and ends with the refusal", () =>
    Effect.gen(function* () {
      let checks = 0
      let isMember = true
      const check = Effect.suspend(() => {
        checks++
        return isMember ? Effect.succeed(null) : Effect.fail(new NotAMember({ slug: "acme" }))
      })
      const fiber = yield* Effect.forkChild(Effect.flip(whileStanding(check, null)), { startImmediately: true })
      yield* TestClock.adjust("5 minutes")
      assert.isAtLeast(checks, 10)
      assert.isAtMost(checks, 20)
      assert.isUndefined(fiber.pollUnsafe())
      isMember = false
      yield* TestClock.adjust("30 seconds")
      assert.instanceOf(yield* Fiber.join(fiber), NotAMember)
    }),
  )

  it.effect("is checked when the credential expires", () =>
    Effect.gen(function* () {
      let checks = 0
      const check = Effect.suspend(() => {
        checks++
        return Effect.fail(gone)
      })
      const fiber = yield* Effect.forkChild(Effect.flip(whileStanding(check, new Date(4_000))), {
        startImmediately: true,
      })
      yield* TestClock.adjust("3900 millis")
      assert.strictEqual(checks, 0)
      yield* TestClock.adjust("100 millis")
      assert.strictEqual(yield* Fiber.join(fiber), gone)
    }),
  )

  it.effect("is not sent away by trouble of our own", () =>
    Effect.gen(function* () {
      const troubles: ReadonlyArray<Effect.Effect<never, unknown>> = [
        Effect.die("the database is away"),
        Effect.fail(new AccountUnavailable({ slug: "acme" })),
      ]
      let checks = 0
      const check = Effect.suspend(() => troubles[checks++] ?? Effect.fail(gone))
      const fiber = yield* Effect.forkChild(Effect.flip(whileStanding(check, null)), { startImmediately: true })
      yield* TestClock.adjust("90 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), gone)
      assert.strictEqual(checks, 3)
    }),
  )
})
