/** The part of the day of a retry, against the words of docs/campaign-timing.md. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { bestPartAt, type CallsByPart } from "../../src/domain/BestTimeOfDay.ts"
import { verdict } from "../../src/domain/CallingWindow.ts"
import { anotherPartAt } from "../../src/domain/TimeOfDay.ts"
import { clockText } from "../../src/domain/ZoneClock.ts"
import { windows, zones } from "../support/RetryWindows.ts"

const quarter = 900_000
const hour = 4 * quarter
const parts = ["morning", "midday", "afternoon", "evening"] as const
type Part = (typeof parts)[number]

const now = fc
  .date({ min: new Date("2026-01-01T00:00:00Z"), max: new Date("2027-01-01T00:00:00Z"), noInvalidDate: true })
  .map((date) => new Date(Math.floor(date.getTime() / quarter) * quarter))
const ago = fc.integer({ min: 1, max: 240 })
const past = fc
  .constantFrom(0, 0, 1, 3)
  .chain((answers) =>
    fc.array(fc.record({ ago, answered: fc.nat({ max: 5 }).map((drawn) => drawn < answers) }), { maxLength: 8 }),
  )
const counts = fc
  .record({ rang: fc.constantFrom(0, 3, 99, 100, 1_000), tenths: fc.nat({ max: 10 }) })
  .map(({ rang, tenths }) => ({ rang, answered: Math.floor((rang * tenths) / 10) }))
const accounts: fc.Arbitrary<CallsByPart> = fc.oneof(
  fc.constant({}),
  fc.record({ morning: counts, midday: counts, afternoon: counts, evening: counts }),
)

const partOf = (zone: string, at: Date): Part => {
  const clock = Number(clockText(zone, at).slice(11, 13))
  if (clock >= 5 && clock < 11) return "morning"
  if (clock >= 11 && clock < 14) return "midday"
  return clock >= 14 && clock < 18 ? "afternoon" : "evening"
}

interface Case {
  readonly account: CallsByPart
  readonly attempts: ReadonlyArray<Date>
  readonly calls: ReadonlyArray<{ readonly part: Part; readonly answered: boolean }>
  readonly openings: ReadonlyMap<Part, Date>
  readonly zone: string
}

/** By the steps of the documentation: who decides, and which parts are equally good. */
const expected = ({ account, attempts, calls, openings, zone }: Case): { because: string; among: Array<Part> } => {
  const open = [...openings.keys()]
  const bestOf = (among: Array<Part>, valueOf: (part: Part) => number) => {
    const most = Math.max(...among.map(valueOf))
    return among.filter((part) => valueOf(part) > most - 1e-9)
  }
  const rang = (part: Part) => calls.filter((call) => call.part === part).length
  const answered = (part: Part) => calls.filter((call) => call.part === part && call.answered).length
  const own = open.filter((part) => answered(part) >= 1 && answered(part) / rang(part) > 0.33)
  if (own.length > 0) {
    return { because: "person", among: bestOf(own, (part) => (answered(part) + 1) / (rang(part) + 2)) }
  }
  if (parts.filter((part) => (account[part]?.rang ?? 0) >= 100).length >= 2) {
    const ofAccount = (name: "rang" | "answered") => parts.reduce((sum, part) => sum + (account[part]?.[name] ?? 0), 0)
    const all = ofAccount("answered") / ofAccount("rang")
    const shareOf = (part: Part) => ((account[part]?.answered ?? 0) + 50 * all) / ((account[part]?.rang ?? 0) + 50)
    return {
      because: "account",
      among: bestOf(open, (part) => (answered(part) + 2 * shareOf(part)) / (rang(part) + 2)),
    }
  }
  const tried = attempts.map((at) => partOf(zone, at))
  return { because: "rotation", among: bestOf(open, (part) => -tried.filter((other) => other === part).length) }
}

describe("a retry in the best part of the day", () => {
  it("goes by the number's answers, else by the account's, else in rotation, to the next opening of the window", () => {
    fc.assert(
      fc.property(
        fc.record({
          zone: zones,
          window: windows,
          now,
          attempts: fc.array(ago, { maxLength: 4 }),
          past,
          account: accounts,
        }),
        ({ account, attempts, now, past, window, zone }) => {
          const before = (hours: number) => new Date(now.getTime() - hours * hour)
          const best = bestPartAt(
            window,
            account,
            now,
          )({
            attempts: attempts.map((ago) => before(ago).getTime()),
            past: past.map(({ ago, answered }) => ({ at: before(ago).getTime(), answered })),
            zones: [zone],
          })
          const openings = new Map<Part, Date>()
          for (let at = now.getTime(); at < now.getTime() + 7 * 24 * hour && openings.size < 4; at += quarter) {
            const date = new Date(at)
            const part = partOf(zone, date)
            if (openings.has(part)) continue
            if (window === null || verdict(window, [zone], date)._tag === "Open") openings.set(part, date)
          }
          const calls = past.map(({ ago, answered }) => ({ part: partOf(zone, before(ago)), answered }))
          const dates = attempts.map(before)
          const { among, because } = expected({ account, attempts: dates, calls, openings, zone })
          if (among.length === 0 || (because === "rotation" && dates.length === 0)) return assert.isNull(best)
          const { grounds, put } = best ?? assert.fail("no part was chosen")
          assert.strictEqual(grounds.because, because)
          assert.include(among, grounds.part)
          const opens = openings.get(grounds.part)
          assert.strictEqual(put?.until, opens === undefined || opens <= now ? undefined : opens.toISOString())
          const counted = Object.values(grounds.number)
          assert.strictEqual(
            counted.reduce((sum, { rang }) => sum + rang, 0),
            past.length,
          )
          assert.deepStrictEqual(
            grounds.tried,
            dates.map((at) => partOf(zone, at)),
          )
        },
      ),
      { numRuns: 300 },
    )
  })

  const noon = new Date("2026-11-20T12:00:00Z")
  const placed = (account: CallsByPart, calls: ReadonlyArray<readonly [at: string, answered: boolean]> = []) => {
    const past = calls.map(([at, answered]) => ({ at: Date.parse(`2026-11-${at}:00Z`), answered }))
    const best = bestPartAt(null, account, noon)({ attempts: [noon.getTime()], past, zones: ["UTC"] })
    return `${best?.grounds.part} by ${best?.grounds.because}, until ${best?.put?.until}`
  }
  const seldom = { rang: 1_000, answered: 200 }
  const evenings = { morning: seldom, midday: seldom, afternoon: seldom, evening: { rang: 1_000, answered: 300 } }

  it("does not follow three answered calls of three", () => {
    const lucky = { ...evenings, midday: { rang: 3, answered: 3 } }
    assert.strictEqual(placed(lucky), "evening by account, until 2026-11-20T18:00:00.000Z")
  })

  it("goes where this number answered, until it answers fewer than one call in three there", () => {
    const answered = ["10T09:00", true] as const
    const missed = ["11T09:00", false] as const
    assert.strictEqual(placed(evenings, [answered]), "morning by person, until 2026-11-21T05:00:00.000Z")
    assert.strictEqual(
      placed(evenings, [answered, missed, missed]),
      "morning by person, until 2026-11-21T05:00:00.000Z",
    )
    assert.strictEqual(
      placed(evenings, [answered, missed, missed, missed]),
      "evening by account, until 2026-11-20T18:00:00.000Z",
    )
  })

  it("leaves the account's best part after a missed call, unless it is half as good again as the next", () => {
    const missed = [["19T19:00", false]] as const
    const more = { ...evenings, evening: { rang: 1_000, answered: 500 } }
    assert.strictEqual(placed(more, missed), "evening by account, until 2026-11-20T18:00:00.000Z")
    assert.strictEqual(placed(evenings, missed), "midday by account, until undefined")
  })

  it("rotates while fewer than two parts have 100 calls each", () => {
    fc.assert(
      fc.property(zones, windows, now, fc.array(ago, { minLength: 1, maxLength: 6 }), (zone, window, now, hours) => {
        const attempts = hours.map((ago) => now.getTime() - ago * hour)
        const few = { morning: { rang: 9_000, answered: 8_000 }, evening: { rang: 99, answered: 1 } }
        const past = attempts.map((at) => ({ at, answered: false }))
        const best = bestPartAt(window, few, now)({ attempts, past, zones: [zone] })
        const { grounds, put } = best ?? assert.fail("no part was chosen")
        const rotated = anotherPartAt(window, now)({ attempts, zones: [zone] })
        assert.strictEqual(grounds.because, "rotation")
        assert.deepStrictEqual<unknown>(put, rotated && { ...grounds, ...rotated })
      }),
    )
  })

  it("does not wait if the time zone is unknown", () => {
    assert.isNull(bestPartAt(null, evenings, noon)({ attempts: [noon.getTime()], past: [], zones: [] }))
  })
})
