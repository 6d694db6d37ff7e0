/** What an ended attempt means for its contact: the table of decisions §2, Contact, and I5 as a property. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { Outcome } from "../../src/domain/Call.ts"
import { CampaignStatus } from "../../src/domain/Campaign.ts"
import { type AttemptEnd, type RetryRules, settlementOf } from "../../src/domain/Settlement.ts"

const ended_at = new Date("2026-11-21T10:00:00.000Z")
const rules: RetryRules = {
  status: "running",
  retries_per_contact: 2,
  retry_delay_seconds: 300,
  redial_unknown: false,
}
const first = (outcome: Outcome, accepted = false): AttemptEnd => ({ outcome, accepted, attempt_number: 1, ended_at })

describe("the settlement of a contact (decisions §2, Contact)", () => {
  it.each([
    ["answered", true, "completed"],
    ["answered", false, "completed"],
    ["voicemail", true, "completed"],
    ["voicemail", false, "pending"],
    ["no_answer", false, "pending"],
    ["busy", false, "pending"],
    ["carrier_error", false, "pending"],
    ["rejected", false, "failed"],
    ["invalid_number", false, "failed"],
    ["unknown", false, "failed"],
  ] as const)("%s (accepted: %s) → %s", (outcome, accepted, status) => {
    assert.strictEqual(settlementOf(first(outcome, accepted), rules).status, status)
  })

  it("dials an unknown one again only where the campaign says so", () => {
    assert.strictEqual(settlementOf(first("unknown"), { ...rules, redial_unknown: true }).status, "pending")
  })

  it("counts the retry delay from the end of the attempt", () => {
    assert.deepStrictEqual(settlementOf(first("busy"), rules), {
      status: "pending",
      due_at: new Date("2026-11-21T10:05:00.000Z"),
    })
  })

  it("fails the contact when its attempts are used up", () => {
    assert.strictEqual(settlementOf({ ...first("busy"), attempt_number: 3 }, rules).status, "failed")
  })

  it("leaves nothing pending in a campaign that has ended", () => {
    assert.deepStrictEqual(settlementOf(first("busy"), { ...rules, status: "completed" }), {
      status: "skipped",
      skip_reason: "stopped",
    })
  })

  it("calls no contact more often than 1 + retries, whatever the mix of outcomes (I5)", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ outcome: fc.constantFrom(...Outcome.literals), accepted: fc.boolean() }), {
          minLength: 15,
          maxLength: 15,
        }),
        fc.integer({ min: 0, max: 10 }),
        fc.boolean(),
        fc.constantFrom(...CampaignStatus.literals),
        (history, retries_per_contact, redial_unknown, status) => {
          const own = { ...rules, retries_per_contact, redial_unknown, status }
          let attempts = 0
          for (const end of history) {
            attempts++
            if (settlementOf({ ...end, attempt_number: attempts, ended_at }, own).status !== "pending") break
          }
          assert.isAtMost(attempts, 1 + retries_per_contact)
        },
      ),
    )
  })

  it("has a verdict on everything, and a retry allowed more never ends a contact sooner", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Outcome.literals),
        fc.boolean(),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 10 }),
        fc.constantFrom(...CampaignStatus.literals),
        fc.boolean(),
        (outcome, accepted, attempt_number, retries_per_contact, status, redial_unknown) => {
          const end = { outcome, accepted, attempt_number, ended_at }
          const own = { ...rules, retries_per_contact, status, redial_unknown }
          const verdict = settlementOf(end, own)
          const more = settlementOf(end, { ...own, retries_per_contact: retries_per_contact + 1 })
          if (verdict.status !== "failed") assert.deepStrictEqual(more, verdict)
          if (verdict.status === "pending") assert.isAtLeast(verdict.due_at.getTime(), ended_at.getTime())
        },
      ),
    )
  })
})
