/** The forecast of the stream and the preflight of the same campaign agree: one counts what the other plays through. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { ContactId } from "../../src/domain/Contact.ts"
import { E164 } from "../../src/domain/E164.ts"
import { forecast, type ForecastFacts } from "../../src/domain/Forecast.ts"
import { assumedOf } from "../../src/domain/Preflight.ts"
import { averageCall } from "../../src/domain/PreflightChance.ts"
import type { PlannedMoney } from "../../src/domain/ForecastMoney.ts"
import type { PlannedCap } from "../../src/domain/PreflightSpend.ts"
import type { PlannedNumber } from "../../src/domain/PlannedNumber.ts"
import { type PreflightPlan, PreflightRun } from "../../src/domain/PreflightRun.ts"

const start = Date.UTC(2027, 0, 4, 10)
const hour = 3_600_000

const free: PlannedNumber = { calls_per_second: null, max_calls_per_day: null, begun: 0, rests_until: 0 }

const usual: PreflightPlan = {
  starting_at: start,
  max_concurrent_calls: 10,
  max_calls_per_minute: null,
  retries_per_contact: 0,
  retry_delay_seconds: 300,
  retry_by_outcome: null,
  redial_unknown: false,
  numbers: [free],
  waits_for_money: true,
  calls_today: 0,
  account: { concurrent_max: 100, calls_per_minute: 10_000, calls_per_day: 1_000_000, time_zone: "UTC" },
  agent: { max_call_seconds: 600, voicemail_action: "hang_up" },
  window: null,
  rules: { packs: [], from_number: "+14155550100" },
  requires_consent: false,
  quiet_after_answer_seconds: null,
  retry_time_of_day: null,
  calls_by_part: {},
  assumed: assumedOf({}),
  begun: { account: [], campaign: [] },
  spend: { caps: [], mostAt: () => 0, costOf: () => 0 },
}

interface Listed {
  readonly count: number
  readonly zones: ReadonlyArray<string>
}

const played = (plan: PreflightPlan, list: ReadonlyArray<Listed>) => {
  const run = new PreflightRun(plan)
  let position = 0
  for (const { count, zones } of list) {
    for (let left = count; left > 0; left--) {
      const id = ContactId.make(`019aa3f2-7c1e-7a42-9d3b-${String(++position).padStart(12, "0")}`)
      const phone_number = E164.make(`+1415${1_000_000 + position}`)
      const rest = {
        priority: 0,
        attempts: 0,
        callbacks: 0,
        due_at: null,
        waits_for: null,
        listed_until: 0,
        consent_until: Infinity,
        quiet_until: null,
      }
      run.add({ id, position, phone_number, zones, ...rest }, false)
    }
  }
  while (!run.advance(10_000));
  const [longest] = [...run.tally.waited].sort(([, a], [, b]) => b - a)
  return { seconds: (run.now - plan.starting_at) / 1_000, limited_by: longest?.[0] ?? null, pending: run.tally.pending }
}

const factsOf = (plan: PreflightPlan, list: ReadonlyArray<Listed>): ForecastFacts => {
  const fresh = list.reduce((sum, { count }) => sum + count, 0)
  return {
    ...plan,
    from: plan.starting_at,
    contacts: { fresh, retrying: 0, in_call: 0 },
    last_retry_at: null,
    last_callback_at: null,
    zones: list.map(({ count, zones }) => ({ share: count / fresh, zones })),
    last_minute: 0,
    attempt: averageCall(plan.assumed, plan.agent),
    money: moneyOf(plan),
  }
}

const moneyOf = ({ assumed, spend: { caps } }: PreflightPlan): PlannedMoney | null =>
  caps.length === 0
    ? null
    : {
        caps: caps.map(({ cap, limit, spent }) => ({ cap, limit, used: spent })),
        reserved: most,
        cost: assumed.answer_rate * priceOf(assumed.average_call_seconds * 1_000),
      }

const finish = <A>(steps: Generator<void, A>): A => {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value
}

const counted = (plan: PreflightPlan, list: ReadonlyArray<Listed>) => {
  const { ends_at, limited_by } = finish(forecast(factsOf(plan, list)))
  return { seconds: ends_at === null ? null : (ends_at - plan.starting_at) / 1_000, limited_by }
}

const anywhere = (count: number) => [{ count, zones: ["Europe/Berlin"] }]

const assertClose = (plan: PreflightPlan, list: ReadonlyArray<Listed>, tolerance: number, slack = 120) => {
  const [played_, counted_] = [played(plan, list), counted(plan, list)]
  const off = Math.abs((counted_.seconds ?? Infinity) - played_.seconds)
  const message = `forecast ${JSON.stringify(counted_)}, preflight ${JSON.stringify(played_)}`
  assert.isAtMost(off, slack + tolerance * played_.seconds, message)
  return { played: played_, counted: counted_ }
}

const unit = 1_000_000
/** A call may cost 1, and costs 0.1 a minute. */
const most = unit
const priceOf = (talked_ms: number) => (talked_ms / 60_000) * 0.1 * unit
const capOf = (cap: PlannedCap["cap"], limit: number) => ({
  ...{ cap, limit: limit * unit, spent: 0, reserved: 0 },
  unpriced: null,
})
const spendOf = (...caps: ReadonlyArray<PlannedCap>): PreflightPlan["spend"] => ({
  caps,
  mostAt: () => most,
  costOf: (_number, _at, talked_ms) => priceOf(talked_ms),
})

const isLimited = ({ max_calls_per_day }: PlannedNumber) => max_calls_per_day !== null
/** Numbers of a pool that is seldom exhausted, and never for good. */
const numbers = fc.record({
  calls_per_second: fc.option(fc.constantFrom(0.1, 1, 40)),
  max_calls_per_day: fc.option(fc.integer({ min: 200, max: 800 })),
  begun: fc.constant(0),
  rests_until: fc.constantFrom(0, 0, start),
})

describe("the forecast of a campaign", () => {
  it("names the limit that a preflight names, and comes within a twentieth of its end", () => {
    const cases: ReadonlyArray<readonly [Partial<PreflightPlan>, number, string]> = [
      [{}, 2_000, "slots"],
      [{ max_calls_per_minute: 4 }, 1_000, "per_minute_cap"],
      [{ numbers: [{ ...free, calls_per_second: 0.1 }] }, 1_000, "number_pace"],
      [{ account: { ...usual.account, calls_per_day: 500 }, calls_today: 200 }, 4_000, "daily_cap"],
      [
        { window: { days: ["mon", "tue", "fri"], start: "09:00", end: "12:00", time_zone: "contact" } },
        5_000,
        "calling_window",
      ],
      [{ retries_per_contact: 2, retry_delay_seconds: 7 * 3_600 }, 500, "retry_delay"],
      [{ numbers: [20, 30].map((most) => ({ ...free, max_calls_per_day: most })) }, 500, "caller_number"],
      [{ numbers: [{ ...free, rests_until: start + 30 * hour }] }, 100, "caller_number"],
      [{ spend: spendOf(capOf("daily_spend_cap", 9)) }, 1_500, "spend_cap"],
      // Never more than two calls at once, although there are ten slots.
      [{ spend: spendOf(capOf("max_spend", 1.2)), assumed: assumedOf({ average_call_seconds: 0 }) }, 500, "spend_cap"],
    ]
    for (const [change, contacts, limit] of cases) {
      const both = assertClose({ ...usual, ...change }, anywhere(contacts), 0.05)
      assert.strictEqual(both.counted.limited_by, limit)
      assert.strictEqual(both.played.limited_by, limit)
    }
  })

  it("stays within a fifth of a preflight, whatever the limits", { timeout: 300_000 }, () => {
    const plans = fc.record({
      hours: fc.integer({ min: 0, max: 24 * 200 }),
      max_concurrent_calls: fc.integer({ min: 2, max: 40 }),
      max_calls_per_minute: fc.option(fc.integer({ min: 2, max: 30 })),
      retries_per_contact: fc.integer({ min: 0, max: 3 }),
      retry_delay_seconds: fc.constantFrom(60, 900, 7_200),
      numbers: fc.array(numbers, { minLength: 1, maxLength: 4 }),
      calls_per_day: fc.integer({ min: 150, max: 5_000 }),
      answer_rate: fc.constantFrom(0.3, 0.5, 0.8),
      contacts: fc.integer({ min: 300, max: 1_500 }),
      caps: fc.constantFrom([], [], [capOf("daily_spend_cap", 90)], [capOf("max_spend", 100_000)]),
      window: fc.option(
        fc.record({
          days: fc.constantFrom(["mon", "tue", "wed", "thu", "fri"] as const, ["tue", "thu", "sat"] as const),
          start: fc.constantFrom("08:00", "09:30"),
          end: fc.constantFrom("14:00", "20:00"),
          time_zone: fc.constant("contact" as const),
        }),
      ),
    })
    fc.assert(
      fc.property(plans, ({ answer_rate, calls_per_day, caps, contacts, hours, ...settings }) => {
        const plan: PreflightPlan = {
          ...usual,
          ...settings,
          starting_at: start + hours * hour,
          account: { ...usual.account, calls_per_day },
          assumed: assumedOf({ answer_rate }),
          spend: spendOf(...caps),
        }
        const list = [
          { count: contacts, zones: ["America/New_York"] },
          { count: contacts >> 1, zones: ["Europe/Berlin", "Europe/Warsaw"] },
        ]
        // The last few calls may fall into this window, or this day, or the next one.
        const window = settings.window === null ? 1_800 : (settings.window.days.length > 3 ? 68 : 60) * 3_600
        const hasDays = calls_per_day < contacts * 2 || caps.length > 0 || settings.numbers.every(isLimited)
        const today = hasDays ? 24 * 3_600 : 0
        assertClose(plan, list, 0.2, Math.max(window, today) + 2 * settings.retry_delay_seconds)
      }),
      { numRuns: 60 },
    )
  })

  it("does not depend on how long a campaign was paused", () => {
    const at = (from: number) => finish(forecast({ ...factsOf(usual, anywhere(1_000)), from }))
    const [now, later] = [at(start), at(start + 8 * hour)]
    assert.strictEqual((later.ends_at ?? 0) - (now.ends_at ?? 0), 8 * hour)
  })

  it("counts calls in progress and retries that wait, and nothing where nothing is left", () => {
    const nothing = { ...factsOf(usual, anywhere(1)), contacts: { fresh: 0, retrying: 0, in_call: 0 } }
    assert.deepInclude(finish(forecast(nothing)), { ends_at: start, limited_by: null })
    const talking = finish(forecast({ ...nothing, contacts: { fresh: 0, retrying: 0, in_call: 1 } }))
    assert.strictEqual(talking.ends_at, start + averageCall(usual.assumed, usual.agent).seconds * 1_000)
    const waiting = { fresh: 0, retrying: 3, in_call: 0 }
    const retried = finish(forecast({ ...nothing, contacts: waiting, last_retry_at: start + hour }))
    assert.isAtLeast(retried.ends_at ?? 0, start + hour)
    assert.strictEqual(retried.limited_by, "retry_delay")
  })

  it("gives up where a preflight does, and holds the loop for less than 50 ms even then", () => {
    const plan = { ...usual, account: { ...usual.account, calls_per_day: 100 } }
    assert.deepStrictEqual(counted(plan, anywhere(100_000)), { seconds: null, limited_by: "daily_cap" })
    const windowed: PreflightPlan = {
      ...plan,
      window: { days: ["mon", "thu"], start: "09:00", end: "10:00", time_zone: "contact" },
    }
    const zones = ["America/New_York", "Europe/Berlin", "Asia/Tokyo", "Australia/Sydney", "America/Denver"]
    const list = zones.map((zone) => ({ count: 20_000, zones: [zone] }))
    counted(windowed, list)
    const before = process.cpuUsage()
    for (let round = 0; round < 20; round++) counted(windowed, list)
    const { system, user } = process.cpuUsage(before)
    assert.isBelow((system + user) / 20 / 1_000, 50)
  })
})
