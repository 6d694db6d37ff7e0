/** Whatever the campaign: a preflight keeps the promises that the dialler keeps, and comes to an end. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { ContactId } from "../../src/domain/Contact.ts"
import { E164 } from "../../src/domain/E164.ts"
import { MinHeap } from "../../src/domain/MinHeap.ts"
import { assumedOf } from "../../src/domain/Preflight.ts"
import type { PreflightPerson } from "../../src/domain/PreflightPerson.ts"
import { type PreflightPlan, PreflightRun } from "../../src/domain/PreflightRun.ts"
import { StartedCalls } from "../../src/domain/StartedCalls.ts"

const small = (max: number, min = 1) => fc.integer({ min, max })
const day = 86_400_000

const unlimited = { calls_per_second: null, max_calls_per_day: null, begun: 0, rests_until: 0 }

const plans: fc.Arbitrary<PreflightPlan> = fc.record({
  starting_at: small(365 * 24, 0).map((hours) => Date.UTC(2027, 0, 1) + hours * 3_600_000),
  max_concurrent_calls: small(20),
  max_calls_per_minute: fc.option(small(10)),
  retries_per_contact: small(3, 0),
  retry_delay_seconds: fc.constantFrom(0, 1, 600, 90_000),
  retry_by_outcome: fc.option(
    fc.record(
      {
        busy: fc.record({ retries: small(2, 0), delay_seconds: fc.constantFrom(0, 60, 7_200) }),
        no_answer: fc.record({ delay_seconds: fc.constantFrom(1, 90_000) }),
      },
      { requiredKeys: [] },
    ),
  ),
  redial_unknown: fc.boolean(),
  numbers: fc.array(
    fc.record({
      calls_per_second: fc.option(fc.constantFrom(0.1, 1, 40)),
      max_calls_per_day: fc.option(small(20, 5)),
      begun: small(5, 0),
      rests_until: fc.constantFrom(0, 0, 0, Date.UTC(2027, 5, 1)),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  waits_for_money: fc.constant(false),
  calls_today: small(3, 0),
  account: fc.record({
    concurrent_max: small(20),
    calls_per_minute: small(20),
    calls_per_day: small(100, 5),
    time_zone: fc.constant("UTC"),
  }),
  agent: fc.record({
    max_call_seconds: fc.constantFrom(10, 600),
    voicemail_action: fc.constantFrom("hang_up" as const, "leave_message" as const),
  }),
  requires_consent: fc.constant(true),
  quiet_after_answer_seconds: fc.option(fc.constantFrom(1, 600, 90_000)),
  retry_time_of_day: fc.option(fc.constantFrom("rotate" as const, "best" as const)),
  calls_by_part: fc.constantFrom(
    {},
    { morning: { rang: 200, answered: 40 }, evening: { rang: 300, answered: 150 }, midday: { rang: 1, answered: 1 } },
  ),
  window: fc.option(
    fc.constant({ days: ["mon", "wed"] as const, start: "09:00", end: "10:00", time_zone: "contact" as const }),
  ),
  rules: fc.constant({ packs: [], from_number: "+14155550100" }),
  assumed: fc
    .record({ answer_rate: fc.constantFrom(0, 0.3, 0.5), busy_rate: fc.constantFrom(0, 0.5), seed: small(1_000) })
    .map((stated) => assumedOf({ ...stated, average_call_seconds: 30 })),
  begun: fc.constant({ account: [], campaign: [] }),
  spend: fc.constant({
    caps: [{ cap: "max_spend" as const, limit: 4, spent: 0, reserved: 0, unpriced: null }],
    mostAt: () => 1,
    costOf: () => 1,
  }),
})

const contacts = fc.array(
  fc.record({
    number: small(30),
    zones: fc.constantFrom(["Europe/Berlin", "Europe/Warsaw"], ["America/New_York"], []),
    listed_until: fc.constantFrom(0, 0, 0, Infinity),
    consent_until: fc.constantFrom(0, Infinity, Infinity, Infinity),
    /** Further numbers of the person. Some of them are those of other contacts. */
    others: fc.constantFrom([], [], [5], [40, 41], [7, 50]),
    others_listed: fc.constantFrom(0, 0, Infinity),
  }),
  { minLength: 1, maxLength: 60 },
)

interface Listed {
  readonly number: number
  readonly zones: ReadonlyArray<string>
  readonly listed_until: number
  readonly consent_until: number
  readonly others?: ReadonlyArray<number>
  readonly others_listed?: number
}

const numberOf = (number: number) => E164.make(`+1415555${1_000 + number}`)
/** The zone of further numbers; a person with an unknown zone may be reached on them. */
const elsewhere = ["Europe/Berlin"]

const personOf = ({ number, others = [], others_listed = 0, ...facts }: Listed): PreflightPerson | undefined => {
  const rest = others.filter((other) => other !== number)
  if (rest.length === 0) return undefined
  const further = rest.map((other) => ({
    ...{ phone_number: numberOf(other), zones: elsewhere },
    ...{ listed_until: others_listed, consent_until: Infinity },
  }))
  return { numbers: [{ ...facts, phone_number: numberOf(number) }, ...further], last: null, invalid: [] }
}

const flown = (plan: PreflightPlan, list: ReadonlyArray<Listed>, mostSlices = 100_000) => {
  const run = new PreflightRun(plan)
  for (const [at, listed] of list.entries()) {
    const { consent_until, listed_until, number, zones } = listed
    const id = ContactId.make(`019aa3f2-7c1e-7a42-9d3b-${String(at).padStart(12, "0")}`)
    const fresh = { priority: 0, quiet_until: null, attempts: 0, callbacks: 0, due_at: null, waits_for: null }
    const own = { phone_number: numberOf(number), zones, listed_until, consent_until, person: personOf(listed) }
    run.add({ id, position: at + 1, ...fresh, ...own }, false)
  }
  let slices = 0
  while (!run.advance(50)) if (++slices > mostSlices) throw new Error("It does not end")
  return run
}

/** Why the dialler skips the contact: only if no number may be called, and then for the reason of the first one. */
const skipOf = (listed: Listed, { window }: PreflightPlan): string | undefined => {
  const { consent_until, listed_until, zones } = listed
  const closed = window !== null && zones.length === 0
  const own =
    listed_until > 0 ? "do_not_call" : consent_until === 0 ? "no_consent" : closed ? "outside_window" : undefined
  const hasOther = personOf(listed) !== undefined && (listed.others_listed ?? 0) === 0
  return hasOther ? undefined : own
}

describe("a preflight", () => {
  it(
    "keeps slots, caps, retries and the list, loses no contact, and ends the same way every time",
    { timeout: 300_000 },
    () => {
      fc.assert(
        fc.property(plans, contacts, (plan, list) => {
          const { now, spend, tally } = flown(plan, list)
          const { completed, failed, pending, skipped } = tally
          assert.strictEqual(
            completed + failed + pending + skipped.do_not_call + skipped.no_consent + skipped.outside_window,
            list.length,
          )
          assert.isAtMost(tally.peak, Math.min(plan.max_concurrent_calls, plan.account.concurrent_max))
          assert.isAtMost(tally.attempts, list.length * (1 + plan.retries_per_contact))
          assert.deepStrictEqual(
            spend.reports().map(({ covers }) => covers),
            [Math.min(4, tally.attempts)],
          )
          const ended = [...tally.outcomes.values()].reduce((sum, calls) => sum + calls, 0)
          if (pending === 0) assert.strictEqual(ended, tally.attempts)
          const reasons = list.map((listed) => skipOf(listed, plan))
          for (const reason of ["do_not_call", "no_consent", "outside_window"] as const) {
            assert.strictEqual(skipped[reason], reasons.filter((own) => own === reason).length, reason)
          }
          const days = new Map<number, number>()
          for (const [at, calls] of tally.hours) {
            days.set(Math.floor(at / day), (days.get(Math.floor(at / day)) ?? 0) + calls)
            if (plan.window === null) continue
            assert.include([1, 3], new Date(at).getUTCDay())
            // Nine o'clock in Berlin and in New York, in winter and in summer.
            assert.include([7, 8, 13, 14], new Date(at).getUTCHours())
          }
          const first = Math.floor(plan.starting_at / day)
          for (const [at, calls] of days) {
            assert.isAtMost(calls, plan.account.calls_per_day)
            const left = plan.numbers.map(({ begun, max_calls_per_day: most }) =>
              most === null ? Infinity : Math.max(0, most - (at === first ? begun : 0)),
            )
            assert.isAtMost(
              calls,
              left.reduce((sum, own) => sum + own, 0),
            )
          }
          const rested = Math.min(...plan.numbers.map(({ rests_until }) => rests_until))
          for (const at of tally.hours.keys()) assert.isAtLeast(at + 3_600_000, rested)
          const again = flown(plan, list)
          assert.deepStrictEqual([again.now, again.tally], [now, tally])
        }),
        { numRuns: 200 },
      )
    },
  )
})

describe("what a preflight is made of", () => {
  it("takes as many steps a contact for a list of one number as for any other", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const list = Array.from({ length: 2_000 }, () => ({
          number: 1,
          zones: ["Europe/Berlin"],
          listed_until: 0,
          consent_until: Infinity,
        }))
        // People of one house with phones of their own: one call at a time, too.
        const house = list.map((one, at) => ({ ...one, number: 100 + at, others: [1] }))
        // A longer quiet period after each answer would not end within the year of a preflight.
        const quiet = plan.quiet_after_answer_seconds === null ? {} : { quiet_after_answer_seconds: 600 }
        const quick = {
          ...plan,
          ...quiet,
          retries_per_contact: 0,
          window: null,
          numbers: [unlimited],
        }
        for (const people of [list, house]) {
          const { tally } = flown({ ...quick, account: { ...plan.account, calls_per_day: 5_000 } }, people, 1_000)
          assert.strictEqual(tally.peak, 1)
          assert.strictEqual(tally.attempts, list.length)
        }
      }),
      { numRuns: 10 },
    )
  })

  it("calls the next number at each attempt, and no number again that does not exist", () => {
    const plan = fc.sample(plans, { numRuns: 1, seed: 1 })[0]!
    const usual = {
      numbers: [unlimited],
      window: null,
      retries_per_contact: 9,
      retry_by_outcome: null,
      retry_time_of_day: null,
    }
    const every = { ...plan, ...usual, quiet_after_answer_seconds: null, max_calls_per_minute: null }
    const one = { number: 1, zones: [], listed_until: 0, consent_until: Infinity }
    const played = (assumptions: object, others: ReadonlyArray<number>) =>
      flown({ ...every, assumed: assumedOf(assumptions) }, [{ ...one, others }]).tally
    const invalid = { answer_rate: 0, invalid_number_rate: 1 }
    // A person is called on each number once. One number is not tried again.
    assert.deepInclude(played(invalid, [2, 3]), { attempts: 3, failed: 1 })
    assert.deepInclude(played(invalid, []), { attempts: 1, failed: 1 })
    assert.deepInclude(played({ answer_rate: 0 }, [2, 3]), { attempts: 10, failed: 1 })
  })

  it("waits for money as the dialler does: never beyond a cap, and as far as each call's own cost permits", () => {
    const capped = fc.record({
      cap: fc.constantFrom("max_spend" as const, "daily_spend_cap" as const),
      limit: fc.integer({ min: 5, max: 40 }),
      most: fc.integer({ min: 1, max: 5 }),
      cost: fc.integer({ min: 0, max: 5 }),
    })
    const single = contacts.map((list) => list.map(({ others: _, ...one }) => ({ ...one, listed_until: 0 })))
    const quick = { window: null, retries_per_contact: 0, quiet_after_answer_seconds: null, requires_consent: false }
    const rest = { calls_per_day: 1_000, calls_per_minute: 1_000, concurrent_max: 100, time_zone: "UTC" }
    fc.assert(
      fc.property(plans, single, capped, (plan, list, { cap, cost, limit, most }) => {
        const spent = Math.min(cost, most)
        const assumed = assumedOf({ answer_rate: 1 })
        const caps = [{ cap, limit, spent: 0, reserved: 0, unpriced: null }]
        const spend = { caps, mostAt: () => most, costOf: () => spent }
        const settings = { ...plan, ...quick, account: rest, numbers: [unlimited], calls_today: 0, assumed, spend }
        const callable = list.map((one) => ({ ...one, consent_until: Infinity }))
        const { money, tally } = flown({ ...settings, waits_for_money: true }, callable)
        const fitting = spent === 0 ? Infinity : Math.floor((limit - most) / spent) + 1
        if (cap === "max_spend") {
          assert.strictEqual(tally.attempts, Math.min(callable.length, fitting))
          assert.strictEqual(tally.pending, callable.length - tally.attempts)
          if (tally.pending > 0) {
            assert.strictEqual(money?.stopped_by, "max_spend")
            assert.deepStrictEqual(tally.longestWait(), { limited_by: "spend_cap", limited_until: Infinity })
          }
        } else {
          assert.strictEqual(tally.pending, 0)
          const days = Map.groupBy(tally.hours, ([at]) => Math.floor(at / day))
          for (const hours of days.values()) {
            assert.isAtMost(
              hours.reduce((sum, [, calls]) => sum + calls, 0),
              fitting,
            )
          }
        }
        if (cap === "max_spend" && spent === most) {
          assert.strictEqual(tally.attempts, flown(settings, callable).spend.reports()[0]?.covers)
        }
      }),
      { numRuns: 60 },
    )
  })

  it("a heap gives the least first", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (items) => {
        const heap = new MinHeap<number>((a, b) => a < b)
        for (const item of items) heap.push(item)
        assert.deepStrictEqual(
          items.map(() => heap.pop()),
          items.toSorted((a, b) => a - b),
        )
        assert.strictEqual(heap.pop(), undefined)
      }),
    )
  })

  it("a sliding minute counts what began in it, and knows when it has room", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 40 }), small(5), (gaps, limit) => {
        const started = new StartedCalls()
        const times: Array<number> = []
        let now = 0
        for (const gap of gaps) {
          now += gap
          const inside = times.filter((at) => at > now - 60_000)
          assert.strictEqual(started.within(now), inside.length)
          const frees = started.freesAt(limit, now)
          const later = times.filter((at) => at > frees - 60_000)
          assert.isBelow(later.length, limit + (frees === now && inside.length < limit ? 1 : 0))
          if (inside.length >= limit) assert.isAbove(frees, now)
          started.begin(now)
          times.push(now)
        }
      }),
    )
  })
})
