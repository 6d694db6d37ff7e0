import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { cellsOf, partsOf } from "../../apps/monitor/Outcomes.ts"
import { done, percent } from "../../apps/monitor/Snapshot.ts"
import { snapshot } from "./Snapshots.ts"

const count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))
const sum = (values: ReadonlyArray<number>) => values.reduce((all, value) => all + value, 0)

describe("the parts of a campaign's bar", () => {
  it("are the contacts that are done, by what became of them, best first", () => {
    assert.deepStrictEqual(
      partsOf(snapshot()).map(({ count, outcome }) => [outcome.name, count]),
      [
        ["answered", 926],
        ["voicemail", 192],
        ["no_answer", 80],
        ["busy", 17],
        ["rejected", 31],
        ["invalid_number", 22],
        ["carrier_error", 7],
        ["unknown", 3],
        ["skipped", 19],
      ],
    )
  })
  it.prop(
    "add up to the total beside the bar, and their cells to its length, whatever the figures",
    {
      completed: count,
      failed: count,
      skipped: count,
      pending: count,
      answered: count,
      rejected: count,
      busy: count,
      no_answer: count,
      width: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 80 })),
    },
    ({ completed, failed, pending, skipped, width, ...outcomes }) => {
      const total = completed + failed + skipped + pending
      const seen = snapshot({ counts: { total, pending, in_progress: 0, completed, failed, skipped }, outcomes })
      assert.strictEqual(sum(partsOf(seen).map(({ count }) => count)), done(seen))
      const filled = sum(cellsOf(seen, width).map(({ cells }) => cells))
      assert.isAtMost(filled, width)
      assert.strictEqual(filled === width, done(seen) === total && total > 0 && filled > 0)
    },
  )
  it("leave room for what is not done, and show what is", () => {
    assert.deepStrictEqual(
      [percent(1, 100_000), percent(99_999, 100_000), percent(5, 5), percent(0, 5)],
      [1, 99, 100, 0],
    )
  })
})
