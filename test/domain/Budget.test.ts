/** Which campaigns fit the account's concurrent calls, and who starts when several are due (spec §3; I4, I10). */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { fits, lineUp } from "../../src/domain/Budget.ts"

describe("the concurrency budget", () => {
  it("has room up to the last call", () => {
    assert.isTrue(fits(2, { in_use: 8, concurrent_max: 10 }))
    assert.isFalse(fits(3, { in_use: 8, concurrent_max: 10 }))
  })

  const draft = (id: string, max_concurrent_calls: number) => ({ id, max_concurrent_calls })

  it("starts due campaigns in their order, and none overtakes one that waits", () => {
    const due = [draft("a", 3), draft("b", 6), draft("c", 1)]
    assert.deepStrictEqual(lineUp(due, { in_use: 5, concurrent_max: 10 }), { start: ["a"], wait: ["b", "c"] })
  })

  it("is not held up by one that asks for more than the account has", () => {
    const due = [draft("never", 11), draft("b", 6)]
    assert.deepStrictEqual(lineUp(due, { in_use: 0, concurrent_max: 10 }), { start: ["b"], wait: ["never"] })
  })

  it("is never exceeded, each draft starts or waits, and the first that can ever fit is the first to start", () => {
    const drafts = fc
      .array(fc.integer({ min: 1, max: 12 }), { maxLength: 12 })
      .map((sizes) => sizes.map((size, at) => draft(String(at), size)))
    const budget = fc.record({ in_use: fc.nat({ max: 12 }), concurrent_max: fc.integer({ min: 1, max: 12 }) })
    fc.assert(
      fc.property(drafts, budget, (drafts, budget) => {
        const { start, wait } = lineUp(drafts, budget)
        const sum = drafts
          .filter(({ id }) => start.includes(id))
          .reduce((all, { max_concurrent_calls }) => all + max_concurrent_calls, 0)
        assert.isTrue(start.length === 0 || budget.in_use + sum <= budget.concurrent_max)
        assert.deepStrictEqual(
          [...start, ...wait].toSorted((a, b) => Number(a) - Number(b)),
          drafts.map(({ id }) => id),
        )
        const possible = drafts.filter(({ max_concurrent_calls }) => max_concurrent_calls <= budget.concurrent_max)
        assert.deepStrictEqual(
          start,
          possible.slice(0, start.length).map(({ id }) => id),
        )
      }),
    )
  })
})
