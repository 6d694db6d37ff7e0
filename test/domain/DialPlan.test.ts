/** How many calls a campaign may begin, and what it waits for. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { batchOf, type Claimed, type Pace, waitingFor, callsWanted } from "../../src/domain/DialPlan.ts"

const pace: Pace = { max_concurrent_calls: 5, active_calls: 2, max_calls_per_minute: null, last_minute: 0 }

describe("what a campaign may begin (I2)", () => {
  it("is what its slots leave", () => {
    assert.deepStrictEqual(callsWanted(pace), { calls: 3, stopped_by: null })
  })
  it("is 500 at a time; of more than a thousand slots half, and never more than a thousand", () => {
    const batches = [1, 500, 1_000, 1_001, 1_400, 2_000, 100_000].map((max_concurrent_calls) =>
      batchOf({ max_concurrent_calls }),
    )
    assert.deepStrictEqual(batches, [500, 500, 500, 500, 700, 1_000, 1_000])
    assert.strictEqual(callsWanted({ ...pace, max_concurrent_calls: 1_400 }).calls, 700)
  })
  it("is nothing when more calls live than it may now have: the setting was lowered", () => {
    assert.deepStrictEqual(callsWanted({ ...pace, active_calls: 9 }), { calls: 0, stopped_by: null })
  })
  it("is bounded by its own calls a minute, and says so", () => {
    assert.deepStrictEqual(callsWanted({ ...pace, max_calls_per_minute: 7, last_minute: 6 }), {
      calls: 1,
      stopped_by: "per_minute_cap",
    })
  })
  it("never brings more calls to life than the slots, nor more a minute than it may", () => {
    const count = fc.integer({ min: 0, max: 4_000 })
    fc.assert(
      fc.property(count, count, fc.option(count), count, (slots, active_calls, own, last_minute) => {
        const { calls } = callsWanted({
          max_concurrent_calls: slots,
          active_calls,
          max_calls_per_minute: own,
          last_minute,
        })
        assert.isAtLeast(calls, 0)
        assert.isAtMost(calls, batchOf({ max_concurrent_calls: slots }))
        assert.isTrue(calls === 0 || active_calls + calls <= slots)
        assert.isTrue(calls === 0 || own === null || last_minute + calls <= own)
      }),
    )
  })
})

describe("what a campaign waits for (decisions §5)", () => {
  const claimed: Claimed = { own: null, admission: null, begun: 0, next: null, due: false }

  it("is nothing while all its slots are in calls, or when its last contacts are", () => {
    assert.isNull(waitingFor({ ...claimed, due: true }))
    assert.isNull(waitingFor(claimed))
  })
  it.each(["concurrent_cap", "per_minute_cap", "daily_cap"] as const)(
    "is %s when the account's cap stopped it",
    (cap) => {
      assert.strictEqual(waitingFor({ ...claimed, due: true, admission: { admitted: 0, stopped_by: cap } }), cap)
    },
  )
  it("is not a cap that was not reached", () => {
    assert.strictEqual(
      waitingFor({
        ...claimed,
        admission: { admitted: 3, stopped_by: "concurrent_cap" },
        begun: 1,
        next: { waits_for: "retry_delay" },
      }),
      "retry_delay",
    )
  })
  it("is the hours of those who are next", () => {
    assert.strictEqual(waitingFor({ ...claimed, next: { waits_for: "calling_window" } }), "calling_window")
  })
  it("is its own pace", () => {
    assert.strictEqual(waitingFor({ ...claimed, own: "per_minute_cap", due: true }), "per_minute_cap")
  })
})
