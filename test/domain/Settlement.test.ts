/** What an ended attempt means for its contact: the table of decisions §2, Contact, and I5 as a property. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { Outcome } from "../../src/domain/Call.ts"
import { callbacksAtMost } from "../../src/domain/Callback.ts"
import { CampaignStatus } from "../../src/domain/Campaign.ts"
import { type AttemptEnd, type RetryRules, settlementOf } from "../../src/domain/Settlement.ts"

const ended_at = new Date("2026-11-21T10:00:00.000Z")
const rules: RetryRules = {
  status: "running",
  retries_per_contact: 2,
  retry_delay_seconds: 300,
  retry_by_outcome: null,
  redial_unknown: false,
}
const none = { callback_at: null, callbacks: 0 }
const first = (outcome: Outcome, accepted = false): AttemptEnd => ({
  outcome,
  accepted,
  attempt_number: 1,
  same_outcome: 1,
  ended_at,
  ...none,
})

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
      waits_for: "retry_delay",
    })
  })

  it("goes on at once with another number of the person after one that does not exist (decision 0087)", () => {
    const end = { ...first("invalid_number"), has_other_number: true }
    assert.deepStrictEqual(settlementOf(end, rules), { status: "pending", due_at: ended_at, waits_for: "retry_delay" })
    assert.strictEqual(settlementOf({ ...end, attempt_number: 3 }, rules).status, "failed")
    assert.strictEqual(settlementOf({ ...end, outcome: "rejected" }, rules).status, "failed")
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

  it("calls the person back at the promised time, whatever else the call's outcome means", () => {
    const callback_at = new Date("2026-11-21T17:00:00.000Z")
    for (const outcome of Outcome.literals) {
      assert.deepStrictEqual(settlementOf({ ...first(outcome), callback_at }, rules), {
        status: "pending",
        due_at: callback_at,
        waits_for: "callback",
      })
    }
  })

  it("completes a person who was promised a callback by a campaign that has ended", () => {
    const callback_at = new Date("2026-11-21T17:00:00.000Z")
    const end = { ...first("answered", true), callback_at }
    assert.deepStrictEqual(settlementOf(end, { ...rules, status: "completed" }), { status: "completed" })
  })

  describe("with retries by outcome (decision 0080)", () => {
    const own: RetryRules = {
      ...rules,
      retries_per_contact: 5,
      retry_by_outcome: { busy: { delay_seconds: 60 }, no_answer: { retries: 1 }, voicemail: { retries: 0 } },
    }

    it("retries after the delay of the outcome, or else after the campaign's", () => {
      const dueIn = (outcome: Outcome) => {
        const settlement = settlementOf(first(outcome), own)
        return settlement.status === "pending" ? settlement.due_at.getTime() - ended_at.getTime() : settlement.status
      }
      assert.deepStrictEqual([dueIn("busy"), dueIn("no_answer"), dueIn("carrier_error")], [60_000, 300_000, 300_000])
      assert.strictEqual(dueIn("voicemail"), "failed")
    })

    it("counts the retries of an outcome by the attempts that ended so, and not by the others", () => {
      const end = { ...first("no_answer"), attempt_number: 4 }
      assert.strictEqual(settlementOf({ ...end, same_outcome: 1 }, own).status, "pending")
      assert.strictEqual(settlementOf({ ...end, same_outcome: 2 }, own).status, "failed")
    })

    it("gives no contact more attempts than the campaign's own retries, however many an outcome may have", () => {
      const generous = { ...own, retries_per_contact: 1, retry_by_outcome: { busy: { retries: 10 } } }
      assert.strictEqual(
        settlementOf({ ...first("busy"), attempt_number: 2, same_outcome: 2 }, generous).status,
        "failed",
      )
    })

    it("retries no outcome that is not retried otherwise", () => {
      for (const outcome of ["answered", "rejected", "invalid_number", "unknown"] as const) {
        assert.deepStrictEqual(settlementOf(first(outcome), own), settlementOf(first(outcome), rules))
      }
    })
  })

  it("calls no contact more often than 1 + retries + callbacks, whatever the mix of outcomes (I5)", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            outcome: fc.constantFrom(...Outcome.literals),
            accepted: fc.boolean(),
            asks: fc.nat({ max: 3 }).map((n) => n === 0),
          }),
          { minLength: 18, maxLength: 18 },
        ),
        fc.integer({ min: 0, max: 10 }),
        fc.boolean(),
        fc.constantFrom(...CampaignStatus.literals),
        fc.option(fc.record({ busy: fc.record({ retries: fc.nat({ max: 3 }) }) })),
        (history, retries_per_contact, redial_unknown, status, retry_by_outcome) => {
          const own = { ...rules, retries_per_contact, redial_unknown, status, retry_by_outcome }
          let busy = 0
          let attempts = 0
          let callbacks = 0
          for (const { asks, ...end } of history) {
            attempts++
            if (end.outcome === "busy") busy++
            const callback_at = asks && callbacks < callbacksAtMost ? ended_at : null
            const settlement = settlementOf(
              {
                ...end,
                attempt_number: attempts,
                same_outcome: end.outcome === "busy" ? busy : 1,
                ended_at,
                callback_at,
                callbacks,
              },
              own,
            )
            if (settlement.status !== "pending") break
            if (settlement.waits_for === "callback") callbacks++
            else if (end.outcome === "busy") assert.isAtMost(busy, retry_by_outcome?.busy.retries ?? Infinity)
          }
          assert.isAtMost(attempts, 1 + retries_per_contact + callbacks)
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
          const end = { outcome, accepted, attempt_number, same_outcome: 1, ended_at, ...none }
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
