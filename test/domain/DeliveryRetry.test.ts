import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { longestWaitMs, retryAfterMs, retryDelayMs } from "../../src/domain/DeliveryRetry.ts"

const hour = 3_600_000

describe("when a delivery that failed is tried again", () => {
  it.each([
    [1, 10_000],
    [2, 40_000],
    [3, 160_000],
    [4, 640_000],
    [5, 2_560_000],
    [6, 10_240_000],
    [7, 6 * hour],
    [8, 6 * hour],
    [1_000, 6 * hour],
  ])("after attempt %i it waits %i ms at most", (attempt, longest) => {
    assert.strictEqual(longestWaitMs(attempt), longest)
  })

  it("the wait is anywhere between a second and the longest, evenly", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, chance) => {
          const delay = retryDelayMs(attempt, chance, null)
          assert.isAtLeast(delay, 1_000)
          assert.isAtMost(delay, longestWaitMs(attempt))
          assert.strictEqual(delay, Math.max(1_000, Math.round(longestWaitMs(attempt) * chance)))
        },
      ),
    )
  })

  it("Retry-After makes it longer, never shorter, and never more than six hours", () => {
    assert.strictEqual(retryDelayMs(1, 0.5, 60_000), 60_000)
    assert.strictEqual(retryDelayMs(7, 0.5, 60_000), 3 * hour)
    assert.strictEqual(retryDelayMs(1, 0.5, 99 * hour), 6 * hour)
  })

  it("Retry-After is seconds or a date; anything else says nothing", () => {
    const now = Date.parse("2026-11-21T10:00:00Z")
    assert.strictEqual(retryAfterMs("120", now), 120_000)
    assert.strictEqual(retryAfterMs("Sat, 21 Nov 2026 10:00:30 GMT", now), 30_000)
    assert.strictEqual(retryAfterMs("Sat, 21 Nov 2026 09:00:00 GMT", now), 0)
    for (const header of [undefined, "", "soon", "99999999999999999999"]) assert.isNull(retryAfterMs(header, now))
  })
})
