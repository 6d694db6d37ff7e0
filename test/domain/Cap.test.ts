import { assert, describe, it } from "@effect/vitest"
import { admission, type Cap, type CapUsage, CapReached, placesOf, limitAdmission } from "../../src/domain/Cap.ts"

const now = new Date("2026-11-21T10:00:00.000Z")
const usage = (free: Record<Cap, number>): Record<Cap, CapUsage> => {
  const of = (cap: Cap): CapUsage => ({ used: 100 - free[cap], limit: 100, resets_at: now })
  return { concurrent_cap: of("concurrent_cap"), per_minute_cap: of("per_minute_cap"), daily_cap: of("daily_cap") }
}

describe("cost caps (decisions §5)", () => {
  it.each([
    [{ concurrent_cap: 5, per_minute_cap: 5, daily_cap: 5 }, 5, null],
    [{ concurrent_cap: 2, per_minute_cap: 5, daily_cap: 5 }, 2, "concurrent_cap"],
    [{ concurrent_cap: 4, per_minute_cap: 3, daily_cap: 5 }, 3, "per_minute_cap"],
    [{ concurrent_cap: 4, per_minute_cap: 3, daily_cap: 0 }, 0, "daily_cap"],
    // A cap that was lowered below what is used lets nothing begin.
    [{ concurrent_cap: -3, per_minute_cap: 5, daily_cap: 5 }, 0, "concurrent_cap"],
    // If two caps leave equally little, the one that lasts longer is named.
    [{ concurrent_cap: 0, per_minute_cap: 0, daily_cap: 0 }, 0, "daily_cap"],
  ] as const)("with %o free, of five calls %i begin, kept by %s", (free, admitted, stopped_by) => {
    assert.include(admission(5, usage(free), now), { admitted, stopped_by })
  })

  it("places that others are to have are kept back by the scarcest cap", () => {
    const free = usage({ concurrent_cap: 40, per_minute_cap: 10, daily_cap: 50 })
    assert.strictEqual(placesOf(free), 10)
    const alone = admission(8, free, now)
    assert.include(alone, { admitted: 8, stopped_by: null })
    assert.include(limitAdmission(alone, 5), { admitted: 5, stopped_by: "per_minute_cap" })
    assert.strictEqual(limitAdmission(alone, 8), alone)
  })

  it("a cap that is reached says how much is used of how much", () => {
    const reached = new CapReached({ code: "per_minute_cap", limit: 60, used: 60, resets_at: now })
    assert.strictEqual(reached.message, "The account has used 60 of its 60 calls in 60 seconds")
  })
})
