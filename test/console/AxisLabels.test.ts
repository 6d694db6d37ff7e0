/** The words below a live chart, at the width of a phone: they stand apart, and none is cut off. */
import { assert, describe, it } from "@effect/vitest"
import { placeLabels } from "../../apps/console/figures/AxisLabels.ts"

const letter = 6.5

describe("the labels of a chart's axis", () => {
  for (const count of [1, 2, 3, 7, 9, 10, 13, 24, 60]) {
    it(`stand apart below ${count} bars in 240 px`, () => {
      const width = 240 / Math.max(count, 6)
      const every = Math.max(1, Math.ceil(count / 4))
      const labels = Array.from({ length: count }, (_, at) => at)
        .filter((at) => at % every === 0 || at === count - 1)
        .map((at) => ({ at, word: "12:09 PM" }))
      const placed = placeLabels(labels, { count, leftOf: (at) => at * width, width })
      const ends = placed.map(({ left, word }) => left + word.length * letter)
      assert.strictEqual(placed.at(-1)?.at, count - 1)
      for (const [at, { left }] of placed.entries()) {
        assert.isAtLeast(left, 0)
        assert.isAtLeast(left, at === 0 ? 0 : (ends[at - 1] ?? 0) + 8)
      }
    })
  }
})
