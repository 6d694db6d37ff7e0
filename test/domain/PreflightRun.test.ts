/** Whatever the campaign: a preflight keeps the promises that the dialler keeps, and comes to an end. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { ContactId } from "../../src/domain/Contact.ts"
import { E164 } from "../../src/domain/E164.ts"
import { MinHeap } from "../../src/domain/MinHeap.ts"
import { assumedOf } from "../../src/domain/Preflight.ts"
import { type PreflightPlan, PreflightRun } from "../../src/domain/PreflightRun.ts"
import { StartedCalls } from "../../src/domain/StartedCalls.ts"

const small = (max: number, min = 1) => fc.integer({ min, max })
const day = 86_400_000

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
  calls_per_second: fc.option(fc.constantFrom(0.1, 1, 40)),
  calls_today: small(3, 0),
  numbers_day: fc.option(fc.record({ left: small(5, 0), limit: small(20, 5) })),
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
  }),
})

const contacts = fc.array(
  fc.record({
    number: small(30),
    zones: fc.constantFrom(["Europe/Berlin", "Europe/Warsaw"], ["America/New_York"], []),
    listed_until: fc.constantFrom(0, 0, 0, Infinity),
    consent_until: fc.constantFrom(0, Infinity, Infinity, Infinity),
  }),
  { minLength: 1, maxLength: 60 },
)

const flown = (
  plan: PreflightPlan,
  list: ReadonlyArray<{ number: number; zones: ReadonlyArray<string>; listed_until: number; consent_until: number }>,
  mostSlices = 100_000,
) => {
  const run = new PreflightRun(plan)
  for (const [at, { number, ...facts }] of list.entries()) {
    const id = ContactId.make(`019aa3f2-7c1e-7a42-9d3b-${String(at).padStart(12, "0")}`)
    const phone_number = E164.make(`+1415555${1_000 + number}`)
    const fresh = { priority: 0, quiet_until: null, attempts: 0, callbacks: 0, due_at: null, waits_for: null }
    run.add({ id, position: at + 1, phone_number, ...fresh, ...facts }, false)
  }
  let slices = 0
  while (!run.advance(50)) if (++slices > mostSlices) throw new Error("It does not end")
  return run
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
          assert.strictEqual(skipped.do_not_call, list.filter(({ listed_until }) => listed_until > 0).length)
          const callable = list.filter(({ listed_until }) => listed_until === 0)
          assert.strictEqual(skipped.no_consent, callable.filter(({ consent_until }) => consent_until === 0).length)
          const unknown = callable.filter(({ consent_until, zones }) => consent_until > 0 && zones.length === 0)
          assert.strictEqual(skipped.outside_window, plan.window === null ? 0 : unknown.length)
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
            const { left, limit } = plan.numbers_day ?? { left: Infinity, limit: Infinity }
            assert.isAtMost(calls, at === first ? left : limit)
          }
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
        // A longer quiet period after each answer would not end within the year of a preflight.
        const quiet = plan.quiet_after_answer_seconds === null ? {} : { quiet_after_answer_seconds: 600 }
        const quick = {
          ...plan,
          ...quiet,
          retries_per_contact: 0,
          window: null,
          calls_per_second: null,
          numbers_day: null,
        }
        const { tally } = flown({ ...quick, account: { ...plan.account, calls_per_day: 5_000 } }, list, 1_000)
        assert.strictEqual(tally.peak, 1)
        assert.strictEqual(tally.attempts, list.length)
      }),
      { numRuns: 10 },
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
