/** How fast calls may begin from one number. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { callsPerSecond, groupOf, paceIssues, permitsMore, spacingSeconds } from "../../src/domain/NumberPace.ts"

describe("the calls per second of a number", () => {
  it.each([
    ["twilio", {}, null, 1],
    ["twilio", { calls_per_second: 30 }, null, 30],
    ["twilio", { calls_per_second: 30 }, 4, 0.25],
    ["lab", {}, null, null],
    ["lab", {}, 4, 0.25],
    ["lab", { calls_per_second: 0.5 }, 1, 0.5],
    ["sip", {}, null, null],
  ] as const)("of %s with %o and %s seconds between calls are %s", (carrier, carrier_config, seconds, rate) => {
    assert.strictEqual(callsPerSecond({ carrier, carrier_config, min_seconds_between_calls: seconds }), rate)
  })
  it.each([0, 0.09, 100.1, -1, "1", null, true, Number.NaN])("%s is refused with its pointer", (calls_per_second) => {
    const [issue] = paceIssues({ calls_per_second })
    assert.strictEqual(issue?.pointer, "/carrier_config/calls_per_second")
  })
  it.each([{}, { calls_per_second: 0.1 }, { calls_per_second: 100 }])("%o is taken", (config) => {
    assert.deepStrictEqual(paceIssues(config), [])
  })
})

describe("another setting of a number", () => {
  const limits = (max_calls_per_day: number | null, min_seconds_between_calls: number | null, own?: number) => ({
    ...({ carrier: "lab", max_calls_per_day, min_seconds_between_calls } as const),
    carrier_config: own === undefined ? {} : { calls_per_second: own },
  })
  it.each([
    [limits(5, null), limits(null, null), false],
    [limits(null, null), limits(5, null), true],
    [limits(6, 30), limits(5, 30), true],
    [limits(5, 60), limits(5, 30), false],
    [limits(5, 20), limits(5, 30), true],
    [limits(5, null), limits(5, 30), true],
    [limits(null, null), limits(null, null, 1), true],
    [limits(null, null, 2), limits(null, null, 1), true],
    // The slower of the two paces holds, so this loosens nothing.
    [limits(null, 3, 0.1), limits(null, 5, 0.1), false],
  ])("%o instead of %o: permits more calls: %s", (next, before, isLooser) => {
    assert.strictEqual(permitsMore(next, before), isLooser)
  })
})

describe("the spacing of calls", () => {
  it("is even up to 40 a second", () => {
    assert.deepStrictEqual([groupOf(0.1), spacingSeconds(0.1, 1)], [1, 10])
    assert.deepStrictEqual([groupOf(1), spacingSeconds(1, 1)], [1, 1])
    assert.deepStrictEqual([groupOf(20), spacingSeconds(20, 1)], [1, 0.05])
  })
  it("keeps a number that is always wanted within a twentieth of its rate", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 100, noNaN: true }), (rate) => {
        const reached = groupOf(rate) / spacingSeconds(rate, groupOf(rate))
        assert.isAtLeast(reached, rate * 0.95)
        assert.isAtMost(reached, rate + 1e-9)
      }),
    )
  })
  it("lets no second, wherever it begins, have more calls than the rate, whatever groups and pauses there are", () => {
    const steps = fc.array(
      fc.record({ calls: fc.integer({ min: 1, max: 5 }), idle: fc.double({ min: 0, max: 0.3, noNaN: true }) }),
      {
        minLength: 1,
        maxLength: 300,
      },
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), steps, (rate, steps) => {
        let at = 0
        const begun: Array<number> = []
        for (const { calls, idle } of steps) {
          const group = Math.min(calls, groupOf(rate))
          for (let call = 0; call < group; call++) begun.push(at)
          // The database's clock has microseconds; a sum of floats does not land on the second.
          at = Math.ceil((at + spacingSeconds(rate, group)) * 1e6) / 1e6 + idle
        }
        for (const from of new Set(begun)) {
          const within = begun.filter((moment) => moment >= from && moment < from + 1 - 1e-9).length
          assert.isAtMost(within, rate)
        }
      }),
    )
  })
})
