/** When a campaign stops by itself because its carrier fails. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { type BreakerSettings, carrierFailed, opens } from "../../src/domain/CircuitBreaker.ts"

const settings: BreakerSettings = { share: 0.5, window_seconds: 120, least_calls: 5 }

describe("the circuit breaker", () => {
  it.each([
    [{ ended: 5, failed: 5, taken: 0 }, true],
    [{ ended: 6, failed: 3, taken: 0 }, true],
    // Too few to say anything.
    [{ ended: 4, failed: 4, taken: 0 }, false],
    [{ ended: 200, failed: 6, taken: 0 }, false],
    // Failures end first: the carrier has taken the calls that go on.
    [{ ended: 5, failed: 5, taken: 40 }, false],
    [{ ended: 0, failed: 0, taken: 0 }, false],
  ])("with %o opens: %s", (health, open) => {
    assert.strictEqual(opens(health, settings), open)
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
