/** Rule packs judged over a year of clocks, borders and holidays, against an oracle that was written apart from them. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { decideCallback } from "../../src/domain/Callback.ts"
import type { CallingWindow } from "../../src/domain/CallingWindow.ts"
import type { FrozenPack, RulePackRule } from "../../src/domain/RulePack.ts"
import { type EarlierAttempt, judgeAt, type Party } from "../../src/domain/Rules.ts"
import { isPermitted } from "./RulesOracle.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const yearBegins = Date.UTC(2027, 0, 1)
/** 2,000 dials in the suite; a million with TEST_DOSE=long. */
const dials = process.env["TEST_DOSE"] === "long" ? 1_000_000 : 2_000

const dayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const
const zones = [
  "America/New_York",
  "America/Chicago",
  "America/St_Johns",
  "America/Phoenix",
  "Europe/London",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "Africa/Casablanca",
  "Pacific/Apia",
  "UTC",
]
const clockTime = fc
  .integer({ min: 0, max: 95 })
  .map(
    (quarter) => `${String(Math.floor(quarter / 4)).padStart(2, "0")}:${String((quarter % 4) * 15).padStart(2, "0")}`,
  )
const date = fc
  .integer({ min: -3, max: 370 })
  .map((days) => new Date(yearBegins + days * day).toISOString().slice(0, 10))
const hours = fc
  .record({ days: fc.subarray([...dayNames], { minLength: 1 }), from: clockTime, to: clockTime })
  .map(({ days, from, to }) => ({
    days,
    start: from < to ? from : to,
    end: from === to ? "24:00" : from < to ? to : from,
  }))
const effect = fc.record({ effective_from: date, effective_to: date }, { requiredKeys: [] })
const common = (id: string) => ({ id, title: id, source: "oracle", status: "unverified", checked: true }) as const
const rule: fc.Arbitrary<RulePackRule> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.array(hours, { minLength: 1, maxLength: 3 }), effect)
      .map(([all, when]) => ({ ...common("hours"), kind: "calling_hours" as const, hours: all, ...when })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.uniqueArray(date, { minLength: 1, maxLength: 40 }), effect)
      .map(([dates, when]) => ({ ...common("holidays"), kind: "holidays" as const, dates, ...when })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 72 }),
        fc.constantFrom("subject" as const, "person" as const),
        effect,
      )
      .map(([attempts, length, per, when]) => ({
        ...common("cap"),
        kind: "frequency" as const,
        attempts,
        hours: length,
        per,
        ...when,
      })),
  },
  {
    weight: 1,
    arbitrary: effect.map((when) => ({
      ...common("series"),
      kind: "number_series" as const,
      prefixes: ["+1999"],
      ...when,
    })),
  },
)
const pack: fc.Arbitrary<FrozenPack> = fc.record({
  id: fc.constantFrom("a", "b"),
  version: fc.constant("1"),
  jurisdiction: fc.constantFrom(
    { country: "US", state: null },
    { country: "US", state: "FL" },
    { country: "CA", state: "ON" },
    { country: "GB", state: null },
  ),
  rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
})
const window: fc.Arbitrary<CallingWindow> = hours.chain((own) =>
  fc.constantFrom("contact" as const, "UTC" as const).map((time_zone) => ({ ...own, time_zone }) as CallingWindow),
)
const ruleset = fc.record({
  packs: fc.array(pack, { minLength: 1, maxLength: 3 }),
  window: fc.option(window, { freq: 2 }),
  from_number: fc.constantFrom("+14155550100", "+19995550100"),
})
const place = fc.constantFrom(
  ...(
    [
      ["US", "FL"],
      ["US", "GA"],
      ["US", null],
      ["CA", "ON"],
      ["GB", null],
      [null, null],
    ] as const
  ).map(([country, state]) => ({ country, state, found_by: "column" as const })),
)
/** Close to each other, so that caps matter. */
const moments = fc.tuple(
  fc.integer({ min: 0, max: 365 * 24 * 60 }),
  fc.array(fc.integer({ min: 0, max: 80 * 60 }), { maxLength: 6 }),
)

describe("rule packs", () => {
  it(
    "permit what the oracle permits, and put off to the first minute that it permits",
    () => {
      let left = dials
      const seen = { Open: 0, OpensAt: 0, Never: 0 }
      fc.assert(
        fc.property(
          ruleset,
          place,
          fc.uniqueArray(fc.constantFrom(...zones), { maxLength: 3 }),
          moments,
          (rules, where, own, [minutes, ago]) => {
            const now = yearBegins + minutes * minute
            const earlier: ReadonlyArray<EarlierAttempt> = ago
              .map((before, at) => ({ at: now - before * minute, same_subject: at % 2 === 0 }))
              .sort((a, b) => a.at - b.at)
            const party: Party = { place: where, zones: own, window_zones: own, earlier }
            const said = judgeAt(rules, new Date(now))(party)
            seen[said._tag]++
            left--
            assert.strictEqual(said._tag === "Open", isPermitted(rules, party, now))
            if (said._tag === "Never") {
              for (let at = now; at < now + 60 * day; at += 6 * hour + 13 * minute)
                assert.isFalse(isPermitted(rules, party, at))
            }
            if (said._tag !== "OpensAt") return
            assert.isTrue(isPermitted(rules, party, said.at.getTime()), "the time that it names")
            // Nothing opens before: each minute of the last six hours, and samples of the rest.
            for (
              let at = said.at.getTime() - minute;
              at > now;
              at -= said.at.getTime() - at < 6 * hour ? 15 * minute : 7 * hour + 13 * minute
            ) {
              assert.isFalse(isPermitted(rules, party, at), new Date(at).toISOString())
            }
          },
        ),
        { numRuns: dials },
      )
      assert.strictEqual(left, 0)
      for (const [verdict, count] of Object.entries(seen)) assert.isAbove(count, dials / 50, verdict)
    },
    30 * 60_000,
  )

  it("never permit what no minute of the year permits", () => {
    const sundays = {
      ...common("sundays"),
      kind: "calling_hours" as const,
      hours: [{ days: ["sun" as const], start: "09:00", end: "10:00" }],
    }
    const packs = [{ id: "a", version: "1", jurisdiction: { country: "US", state: null }, rules: [sundays] }]
    const party: Party = {
      place: { country: "US", state: null, found_by: "column" },
      zones: ["UTC"],
      window_zones: ["UTC"],
      earlier: [],
    }
    const mondays: CallingWindow = { days: ["mon"], start: "09:00", end: "10:00", time_zone: "contact" }
    const monday = new Date(Date.UTC(2027, 0, 4, 9, 30))
    const by = { pack: "a", version: "1", rule: "sundays", kind: "calling_hours", title: "sundays" } as const
    assert.deepStrictEqual(judgeAt({ packs, window: mondays, from_number: "+1" }, monday)(party), { _tag: "Never", by })
    // Without the window, the same rule puts off until Sunday, and so is a callback that is promised for Monday.
    const rules = judgeAt({ packs, window: null, from_number: "+1" }, monday)(party)
    const at = new Date(Date.UTC(2027, 0, 10, 9))
    assert.deepStrictEqual(rules, { _tag: "OpensAt", at, by })
    const facts = { callbacks: 0, callbacks_per_contact: 1, suppressed: false, window: null, zones: ["UTC"], rules }
    assert.deepStrictEqual(decideCallback(monday, { ...facts, now: new Date(monday.getTime() - hour) }), {
      _tag: "Agreed",
      at,
    })
  })
})
