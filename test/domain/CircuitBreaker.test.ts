/** When a campaign is paused automatically because its carrier fails. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import {
  type BreakerSettings,
  carrierFailed,
  leastShare,
  opens,
  pauseSentence,
} from "../../src/domain/CircuitBreaker.ts"

/** Numbers from 0 to below 1, the same for the same seed. */
const drawing = (seed: number) => {
  let state = seed + 1
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9
    return ((state ^ (state >>> 12)) >>> 0) / 4_294_967_296
  }
}

const settings: BreakerSettings = { share: 0.5, window_seconds: 120, least_calls: 20 }

describe("the circuit breaker", () => {
  it.each([
    [{ ended: 20, failed: 14, taken: 0 }, true],
    [{ ended: 20, failed: 13, taken: 0 }, false],
    [{ ended: 100, failed: 59, taken: 0 }, true],
    [{ ended: 100, failed: 58, taken: 0 }, false],
    // Too few are no evidence, even if all fail.
    [{ ended: 19, failed: 19, taken: 0 }, false],
    [{ ended: 200, failed: 6, taken: 0 }, false],
    // Failures end first: the carrier has taken the calls that go on.
    [{ ended: 14, failed: 14, taken: 6 }, true],
    [{ ended: 20, failed: 20, taken: 40 }, false],
    [{ ended: 4, failed: 4, taken: 6 }, false],
    [{ ended: 0, failed: 0, taken: 0 }, false],
  ])("with %o opens: %s", (health, open) => {
    assert.strictEqual(opens(health, settings), open)
  })
  it("opens when all calls fail, however high the share", () => {
    assert.isTrue(opens({ ended: 20, failed: 20, taken: 0 }, { ...settings, share: 1 }))
    assert.isFalse(opens({ ended: 1_000, failed: 999, taken: 0 }, { ...settings, share: 1 }))
  })
  it("claims no more than Wilson's bound: it stays below what was seen, and comes near it with many calls", () => {
    const count = fc.integer({ min: 0, max: 5_000 })
    fc.assert(
      fc.property(count, count, (fine, failed) => {
        const calls = Math.max(1, fine + failed)
        const seen = failed / calls
        const bound = leastShare(failed, calls)
        assert.isAtLeast(bound, -1e-12)
        assert.isAtMost(bound, seen + 1e-12)
        assert.isAtMost(seen - bound, 2 / Math.sqrt(calls))
      }),
    )
    // (0.7676 - 1.645 * 0.1104) / 1.1353 by hand.
    assert.approximately(leastShare(14, 20), 0.5162, 0.0001)
  })
  it("does not open in a campaign whose carrier fails a quarter of its calls, and does where it fails four fifths", () => {
    const openings = (rate: number) => {
      let opened = 0
      for (let campaign = 0; campaign < 400; campaign++) {
        const draw = drawing(campaign)
        let failed = 0
        for (let ended = 1; ended <= 200; ended++) {
          if (draw() < rate) failed++
          if (!opens({ ended, failed, taken: 0 }, settings)) continue
          opened++
          break
        }
      }
      return opened / 400
    }
    assert.isBelow(openings(0.25), 0.01)
    assert.isAbove(openings(0.8), 0.99)
  })
  it("says what was seen and what to do", () => {
    assert.strictEqual(
      pauseSentence({ ended: 16, failed: 14, taken: 4 }, settings),
      "The carrier failed 14 of the last 20 calls within 2 minutes, so the campaign was paused. Check the phone number's credentials and the carrier, then resume.",
    )
    assert.include(
      pauseSentence({ ended: 20, failed: 20, taken: 0 }, { ...settings, window_seconds: 90 }),
      "90 seconds",
    )
  })
  it("is off at a share of 0", () => {
    assert.isFalse(opens({ ended: 100, failed: 100, taken: 0 }, { ...settings, share: 0 }))
  })
  it("opens for more failures if it opens for fewer", () => {
    const count = fc.integer({ min: 0, max: 500 })
    fc.assert(
      fc.property(count, count, count, count, (fine, failed, more, taken) => {
        const before = opens({ ended: fine + failed, failed, taken }, settings)
        const after = opens({ ended: fine + failed + more, failed: failed + more, taken }, settings)
        assert.isTrue(!before || after)
      }),
    )
  })
})

describe("what an ended call says of its carrier", () => {
  it.each([
    ["carrier_error", "not_answered", true],
    ["busy", "not_answered", false],
    ["invalid_number", "not_answered", false],
    ["answered", "agent_hung_up", false],
    ["answered", "agent_error", false],
    ["carrier_error", "agent_missing", null],
    ["carrier_error", "agent_error", null],
    ["no_answer", "interrupted", null],
    ["unknown", "interrupted", null],
  ] as const)("%s, %s: %s", (outcome, end_reason, says) => {
    assert.strictEqual(carrierFailed(outcome, end_reason), says)
  })
})
