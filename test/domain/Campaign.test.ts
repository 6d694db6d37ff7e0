/** The state table of decisions §2, cell by cell, and what follows from it. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  BudgetExceeded,
  CampaignStatus,
  isTerminal,
  move,
  type Move,
  Operation,
  statusAtEnd,
} from "../../src/domain/Campaign.ts"

const table: ReadonlyArray<[CampaignStatus, Record<Operation, Move>]> = [
  ["draft", { start: "running", pause: "refused", resume: "refused", stop: "completed", delete: "removed" }],
  ["running", { start: "unchanged", pause: "paused", resume: "unchanged", stop: "completed", delete: "refused" }],
  ["paused", { start: "running", pause: "unchanged", resume: "running", stop: "completed", delete: "refused" }],
  ["completed", { start: "refused", pause: "refused", resume: "refused", stop: "unchanged", delete: "refused" }],
  ["failed", { start: "refused", pause: "refused", resume: "refused", stop: "unchanged", delete: "refused" }],
]
const cells = table.flatMap(([from, row]) =>
  Operation.literals.map((operation) => [from, operation, row[operation]] as const),
)

describe("the life of a campaign (decisions §2, States)", () => {
  it.each(cells)("%s + %s → %s", (from, operation, to) => {
    const moved = move(from, operation)
    if (Result.isSuccess(moved)) assert.strictEqual(moved.success, to)
    else {
      assert.strictEqual(to, "refused")
      assert.strictEqual(moved.failure.state, from)
      assert.include(moved.failure.message, from)
    }
  })

  it("any state that is not terminal can be stopped, and what is terminal stays (spec §3)", () => {
    for (const status of CampaignStatus.literals) {
      const stopped = Result.getOrThrow(move(status, "stop"))
      assert.strictEqual(stopped, isTerminal(status) ? "unchanged" : "completed")
    }
  })

  it("every end leads to a terminal state", () => {
    for (const status of Object.values(statusAtEnd)) assert.isTrue(isTerminal(status))
    assert.strictEqual(statusAtEnd.stopped, "completed")
    assert.strictEqual(statusAtEnd.carrier_rejected, "failed")
  })

  it("says how much of the budget is taken", () => {
    const refusal = new BudgetExceeded({ requested: 5, in_use: 8, concurrent_max: 10 })
    assert.strictEqual(refusal.message, "Running campaigns use 8 of 10 concurrent calls; this campaign asks for 5.")
  })
})
