import { assert, it } from "@effect/vitest"
import { BackOff } from "../../src/tenancy/BackOff.ts"

it("a pause doubles with each failure in a row, up to the longest, and ends with a success", () => {
  const pauses = new BackOff(1_000, 4_000)
  assert.isTrue(pauses.isEmpty)
  assert.strictEqual(pauses.fail("a", 0), 1_000)
  assert.deepStrictEqual([pauses.isResting("a", 999), pauses.isResting("a", 1_000)], [true, false])
  assert.isFalse(pauses.isResting("b", 0))
  assert.deepStrictEqual([pauses.due(999), pauses.due(1_000)], [[], ["a"]])
  assert.deepStrictEqual(
    [1, 2, 3].map(() => pauses.fail("a", 1_000)),
    [2_000, 4_000, 4_000],
  )
  pauses.succeed("a")
  assert.strictEqual(pauses.fail("a", 5_000), 1_000)
})
