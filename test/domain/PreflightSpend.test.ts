/** How many calls of a preflight a cap on spending covers, if each costs the most that it may cost. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { amountOf } from "../../src/domain/Money.ts"
import { type PlannedCap, PreflightSpend, type PreflightSpendCap } from "../../src/domain/PreflightSpend.ts"

const unit = 1_000_000
const day = 86_400_000
/** An hour before midnight in Berlin. */
const starting_at = Date.UTC(2027, 2, 1, 22)
const hour = 3_600_000

interface Call {
  readonly at: number
  readonly most: number
}

const capOf = (cap: PlannedCap["cap"], limit: number, spent = 0, reserved = 0): PlannedCap => ({
  cap,
  limit,
  spent,
  reserved,
  unpriced: null,
})

/** The report of the cap after these calls, each to a number of its own. */
const after = (calls: ReadonlyArray<Call>, cap: PlannedCap): PreflightSpendCap => {
  const mostAt = (number: string) => calls[Number(number)]?.most ?? assert.fail(`no call to ${number}`)
  const spend = new PreflightSpend({
    starting_at,
    account: { time_zone: "Europe/Berlin" },
    spend: { caps: [cap], mostAt, costOf: () => 0 },
  })
  for (const [index, { at }] of calls.entries()) spend.begin([String(index)], at)
  return spend.reports()[0] ?? assert.fail("no report")
}

const same = (count: number, most: number, at = starting_at) => Array.from({ length: count }, () => ({ at, most }))

describe("max_spend", () => {
  it("covers the calls whose reservations fit into what is not spent or reserved, and says what to do", () => {
    const report = after(same(300, 0.41 * unit), capOf("max_spend", 50 * unit, 0.5 * unit, 0.3 * unit))
    assert.deepStrictEqual<unknown>(report, {
      cap: "max_spend",
      limit: "50.00",
      spent: "0.50",
      reserved: "0.30",
      currency: "USD",
      covers: 120,
      reserved_per_call: { least: "0.41", most: "0.41" },
      needed: "123.80",
      warning:
        "What is left of max_spend, 49.20 USD, covers at least 120 of 300 calls, at 0.41 USD reserved for each. Calls that cost less leave more. To cover all of them in any case, raise max_spend to 123.80 or shorten the agent's max_call_seconds.",
    })
  })

  it("covers all calls to the millionth, and has no warning then", () => {
    const needed = 300 * 410_000
    assert.deepInclude(after(same(300, 410_000), capOf("max_spend", needed)), { covers: 300, warning: null })
    const less = after(same(300, 410_000), capOf("max_spend", needed - 1))
    assert.deepInclude(less, { covers: 299, needed: "123.00" })
  })

  it("passes over no call that does not fit, as the dialler does", () => {
    const calls = [0.4, 2, 0.1].map((most) => ({ at: starting_at, most: most * unit }))
    const report = after(calls, capOf("max_spend", unit))
    assert.deepInclude(report, { covers: 1, reserved_per_call: { least: "0.10", most: "2.00" } })
    assert.include(report.warning, "at 0.10 to 2.00 USD reserved for each")
  })

  it("is not negative where more was spent than it permits", () => {
    const report = after(same(1, unit), capOf("max_spend", unit, 3 * unit))
    assert.deepInclude(report, { covers: 0, needed: "4.00" })
    assert.include(report.warning, "What is left of max_spend, 0.00 USD, covers at least 0 of 1 calls")
  })

  it("has nothing to cover without calls", () => {
    const report = after([], capOf("max_spend", 0))
    assert.deepInclude(report, { covers: 0, reserved_per_call: null, needed: "0.00", warning: null })
  })

  it("has no figures without a price, and says why", () => {
    const report = after(same(3, Infinity), { ...capOf("max_spend", unit), unpriced: "There is no price." })
    const unknown = { covers: null, reserved_per_call: null, needed: null }
    assert.deepInclude(report, { ...unknown, warning: "There is no price." })
  })
})

describe("daily_spend_cap", () => {
  it("counts what is used on the first day, and each day of the account's time zone for itself", () => {
    const calls = [...same(3, unit), ...same(3, unit, starting_at + hour), ...same(5, unit, starting_at + hour + day)]
    const report = after(calls, capOf("daily_spend_cap", 4 * unit, 1.5 * unit, 0.5 * unit))
    // Two of three, three of three, and four of five.
    assert.deepInclude(report, { covers: 9, needed: "5.00" })
    assert.strictEqual(
      report.warning,
      "The account's daily_spend_cap of 4.00 USD, of which 2.00 are spent or reserved today, covers at least 9 of 11 calls, at 1.00 USD reserved for each, each on its day; the others may wait for the next day. Other calls of the account take from it, too. To cover all of them in any case, let a platform administrator raise the cap to 5.00 or shorten the agent's max_call_seconds.",
    )
  })
})

describe("a cap", () => {
  it("covers as many calls as a dialler that reserves one after another, and all of them at what is needed", () => {
    const calls = fc
      .array(fc.record({ after: fc.integer({ min: 0, max: 10 * hour }), most: fc.integer({ min: 0, max: 5 }) }))
      .map((steps) => {
        let at = starting_at
        return steps.map(({ after, most }) => ({ at: (at += after), most }))
      })
    const cap = fc.record({
      cap: fc.constantFrom("max_spend" as const, "daily_spend_cap" as const),
      limit: fc.integer({ min: 0, max: 30 }),
      spent: fc.integer({ min: 0, max: 10 }),
      reserved: fc.integer({ min: 0, max: 10 }),
      unpriced: fc.constant(null),
    })
    fc.assert(
      fc.property(calls, cap, (list, planned) => {
        const { covers, needed, warning } = after(list, planned)
        assert.strictEqual(covers, dialledUnder(planned, list))
        assert.strictEqual(warning === null, covers === list.length)
        const enough = { ...planned, limit: list.length === 0 ? 0 : Math.round(Number(needed) * unit) }
        assert.deepInclude(after(list, enough), { covers: list.length, limit: amountOf(enough.limit) })
      }),
    )
  })
})

/** The calls that a dialler places which reserves for each before it, if none costs less than it reserved. */
const dialledUnder = ({ cap, limit, reserved, spent }: PlannedCap, calls: ReadonlyArray<Call>): number => {
  const days =
    cap === "max_spend" ? [calls] : [...Map.groupBy(calls, ({ at }) => Math.floor((at + hour) / day)).values()]
  let dialled = 0
  for (const ofDay of days) {
    const isFirst = cap === "max_spend" || (ofDay[0]?.at ?? starting_at) < starting_at + hour
    let left = limit - (isFirst ? spent + reserved : 0)
    for (const { most } of ofDay) {
      if (most > left) break
      left -= most
      dialled++
    }
  }
  return dialled
}
