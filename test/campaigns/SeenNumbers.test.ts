/** The numbers of a list and where each stood first, beside a Map. */
import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import { SeenNumbers } from "../../src/campaigns/SeenNumbers.ts"

it("remembers of every number the line it was kept with, and knows no other", () => {
  const number = fc.oneof(
    fc.integer({ min: 1_000_000, max: 1_000_200 }),
    fc.integer({ min: 1, max: 999_999_999_999_999 }),
  )
  fc.assert(
    fc.property(fc.array(number, { maxLength: 300 }), number, (numbers, other) => {
      const seen = new SeenNumbers()
      const map = new Map<number, number>()
      for (const [at, one] of numbers.entries()) {
        assert.strictEqual(seen.lineOf(one), map.get(one))
        if (map.has(one)) continue
        map.set(one, at + 2)
        seen.keep(one, at + 2)
      }
      assert.strictEqual(seen.lineOf(other), map.get(other))
    }),
  )
})

it("holds a hundred thousand neighbours", () => {
  const seen = new SeenNumbers()
  for (let at = 0; at < 100_000; at++) seen.keep(4_915_110_000_000 + at, at + 2)
  const lines = Array.from({ length: 100_000 }, (_, at) => seen.lineOf(4_915_110_000_000 + at))
  assert.isTrue(lines.every((line, at) => line === at + 2))
  assert.isUndefined(seen.lineOf(4_915_110_100_000))
})
