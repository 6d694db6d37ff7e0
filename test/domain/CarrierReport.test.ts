/** The join of a carrier's reports (I14): no order, doubling or lateness of them changes what a call comes to. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import {
  type CarrierReport,
  CarrierStatus,
  hasRung,
  isTerminal,
  join,
  outcomeOf,
} from "../../src/domain/CarrierReport.ts"

const report = (status: CarrierStatus, more: Partial<CarrierReport> = {}): CarrierReport => ({
  status,
  sequence: -1,
  answered_at: null,
  duration_seconds: null,
  sip_code: null,
  ...more,
})
const at = new Date("2026-11-21T10:00:00.000Z")

const reports: fc.Arbitrary<CarrierReport> = fc.record({
  status: fc.constantFrom(...CarrierStatus.literals),
  sequence: fc.integer({ min: -1, max: 6 }),
  answered_at: fc.option(fc.integer({ min: 0, max: 5_000 }).map((ms) => new Date(at.getTime() + ms))),
  duration_seconds: fc.option(fc.integer({ min: 0, max: 90 })),
  sip_code: fc.option(fc.constantFrom(200, 404, 486, 487, 503, 603)),
})

const all = (first: CarrierReport, ...others: ReadonlyArray<CarrierReport>) => others.reduce(join, first)
const same = (one: CarrierReport, other: CarrierReport) => assert.deepStrictEqual(one, other)

describe("the join of reports (voice.md §5, I14)", () => {
  it("is commutative, associative and idempotent", () => {
    fc.assert(fc.property(reports, reports, (a, b) => same(join(a, b), join(b, a))))
    fc.assert(fc.property(reports, reports, reports, (a, b, c) => same(join(join(a, b), c), join(a, join(b, c)))))
    fc.assert(fc.property(reports, (a) => same(join(a, a), a)))
  })

  it("comes to the same by any order and any number of the same reports", () => {
    const shuffled = fc
      .array(reports, { minLength: 1, maxLength: 8 })
      .chain((told) =>
        fc.tuple(
          fc.constant(told),
          fc.shuffledSubarray([...told, ...told, ...told], { minLength: 0 }),
          fc.shuffledSubarray(told, { minLength: told.length }),
        ),
      )
    fc.assert(
      fc.property(shuffled, ([told, again, [first, ...rest]]) => {
        if (first === undefined) return
        same(all(first, ...rest, ...again), all(told[0]!, ...told.slice(1)))
      }),
    )
  })

  it("never goes back: from an end to a life, from ringing to not, or from answered to not", () => {
    fc.assert(
      fc.property(reports, reports, (known, told) => {
        const joined = join(known, told)
        if (isTerminal(known.status)) assert.isTrue(isTerminal(joined.status))
        if (hasRung(known)) assert.isTrue(hasRung(joined))
        if (outcomeOf(known) === "answered") assert.strictEqual(outcomeOf(joined), "answered")
      }),
    )
  })

  it("keeps an end whatever live word comes after it", () => {
    const busy = report("busy", { sequence: 2, sip_code: 486 })
    for (const late of ["queued", "initiated", "ringing"] as const) {
      assert.strictEqual(outcomeOf(join(busy, report(late, { sequence: 9 }))), "busy")
    }
  })

  it("lets talk win over an end that was only looked up", () => {
    const looked = report("canceled")
    const talked = report("completed", { sequence: 3, duration_seconds: 12, answered_at: at })
    assert.strictEqual(outcomeOf(join(talked, looked)), "answered")
    assert.strictEqual(join(talked, looked).status, "completed")
  })

  it("lets any end win over one that does not say how", () => {
    for (const known of [report("busy", { sequence: 0, sip_code: 486 }), report("busy")]) {
      assert.strictEqual(outcomeOf(join(report("ended"), known)), "busy")
    }
    assert.strictEqual(outcomeOf(join(report("ended"), report("in-progress", { answered_at: at }))), "answered")
  })

  it("lets the carrier's later word decide between two ends", () => {
    const joined = join(report("no-answer", { sequence: 2 }), report("failed", { sequence: 3, sip_code: 503 }))
    assert.strictEqual(outcomeOf(joined), "carrier_error")
  })
})

describe("the outcome of an ended call (voice.md §4)", () => {
  it.each([
    ["completed", null, "answered"],
    ["busy", 486, "busy"],
    ["busy", 603, "rejected"],
    ["busy", null, "busy"],
    ["no-answer", 487, "no_answer"],
    ["no-answer", null, "no_answer"],
    ["no-answer", 404, "invalid_number"],
    ["canceled", 487, "no_answer"],
    ["ended", null, "unknown"],
    ["failed", 404, "invalid_number"],
    ["failed", 410, "invalid_number"],
    ["failed", 484, "invalid_number"],
    ["failed", 604, "invalid_number"],
    ["failed", 408, "no_answer"],
    ["failed", 480, "no_answer"],
    ["failed", 486, "busy"],
    ["failed", 600, "busy"],
    ["failed", 603, "rejected"],
    ["failed", 607, "rejected"],
    ["failed", 608, "rejected"],
    ["failed", 403, "carrier_error"],
    ["failed", 488, "carrier_error"],
    ["failed", 503, "carrier_error"],
    ["failed", 302, "carrier_error"],
    ["failed", null, "carrier_error"],
  ] as const)("%s with %s is %s", (status, sip_code, outcome) => {
    assert.strictEqual(outcomeOf(report(status, { sip_code })), outcome)
  })

  it("is none while the call lives", () => {
    for (const status of ["queued", "initiated", "ringing", "in-progress"] as const) {
      assert.isNull(outcomeOf(report(status)))
    }
  })
})
