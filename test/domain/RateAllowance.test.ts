/** How often something may happen, for each key. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import * as RateAllowance from "../../src/domain/RateAllowance.ts"

describe("an allowance of so many a minute", () => {
  it("gives all of them at once, then says when the next one is there", () => {
    const { take } = RateAllowance.make(6, 10)
    for (let taken = 0; taken < 6; taken++) assert.strictEqual(take("a", 0), 0)
    assert.strictEqual(take("a", 0), 10_000)
    assert.strictEqual(take("a", 9_000), 1_000)
    assert.strictEqual(take("b", 9_000), 0)
    assert.strictEqual(take("a", 10_000), 0)
    assert.strictEqual(take("a", 10_000), 10_000)
  })

  it("never gives more than twice of it in a minute, and gives one when it said it would", () => {
    const steps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), steps, (perMinute, steps) => {
        const { take } = RateAllowance.make(perMinute, 10)
        const given: Array<number> = []
        let now = 0
        for (const step of steps) {
          now += step
          const wait = take("a", now)
          if (wait > 0) {
            now += wait
            assert.strictEqual(take("a", now), 0)
          }
          given.push(now)
          assert.isAtMost(given.filter((at) => at > now - 60_000).length, 2 * perMinute)
        }
      }),
    )
  })

  // With fractions, repeated rounding lost a millisecond now and then.
  it.each([
    { perMinute: 18, step: 7 },
    { perMinute: 45, step: 4 },
  ])("gives one at the very millisecond that it named: $perMinute a minute, asked $step ms later", (given) => {
    const { take } = RateAllowance.make(given.perMinute, 1)
    for (let taken = 0; taken < given.perMinute; taken++) take("a", 0)
    let now = 0
    for (let asked = 0; asked < 400; asked++) {
      now += given.step
      const wait = take("a", now)
      now += wait
      if (wait > 0) assert.strictEqual(take("a", now), 0)
    }
  })

  it("forgets the key that was used longest ago", () => {
    const { take } = RateAllowance.make(1, 2)
    for (const key of ["a", "b", "a", "c"]) take(key, 0)
    assert.deepStrictEqual(
      ["a", "c", "b"].map((key) => take(key, 0) === 0),
      [false, false, true],
    )
  })
})
