import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { verdict } from "../../src/domain/CallingWindow.ts"
import { anotherPartAt } from "../../src/domain/TimeOfDay.ts"
import { clockText } from "../../src/domain/ZoneClock.ts"
import { windows, zones } from "../support/RetryWindows.ts"

const hour = 3_600_000
const now = fc
  .date({ min: new Date("2026-01-01T00:00:00Z"), max: new Date("2027-01-01T00:00:00Z"), noInvalidDate: true })
  .map((date) => new Date(Math.floor(date.getTime() / 60_000) * 60_000))
const ago = fc.array(fc.integer({ min: 1, max: 240 }), { minLength: 1, maxLength: 6 })

/** The part of the day by the words of docs/campaign-timing.md. */
const partOf = (zone: string, at: Date): string => {
  const clock = Number(clockText(zone, at).slice(11, 13))
  return clock >= 5 && clock < 11
    ? "morning"
    : clock >= 11 && clock < 14
      ? "midday"
      : clock >= 14 && clock < 18
        ? "afternoon"
        : "evening"
}

describe("a retry that goes to another part of the day", () => {
  it("falls into one of the parts with the fewest attempts, within the window, at the first such time", () => {
    fc.assert(
      fc.property(zones, windows, now, ago, (zone, window, now, hours) => {
        const attempts = hours.map((before) => now.getTime() - before * hour)
        const put = anotherPartAt(window, now)({ attempts, zones: [zone] })
        const triedIn = (part: string) => attempts.filter((at) => partOf(zone, new Date(at)) === part).length
        const isOpen = (at: Date) => window === null || verdict(window, [zone], at)._tag === "Open"
        const quarters = Array.from({ length: 7 * 24 * 4 }, (_, at) => new Date(now.getTime() + at * 15 * 60_000))
        const open = quarters.filter(isOpen).map((at) => ({ at, times: triedIn(partOf(zone, at)) }))
        const fewest = Math.min(...open.map(({ times }) => times))
        const until = put === null ? now : new Date(put.until)
        if (open.length === 0) return assert.isNull(put)
        if (put === null) return assert.isTrue(!isOpen(now) || triedIn(partOf(zone, now)) === fewest)
        assert.isAbove(until.getTime(), now.getTime())
        assert.isBelow(until.getTime(), now.getTime() + 7 * 24 * hour)
        assert.isTrue(isOpen(until))
        assert.strictEqual(partOf(zone, until), put.part)
        assert.strictEqual(triedIn(put.part), fewest)
        assert.isTrue(open.every(({ at, times }) => times > fewest || at >= until))
        assert.deepStrictEqual(
          put.tried,
          attempts.map((at) => partOf(zone, new Date(at)) as never),
        )
      }),
    )
  })

  it("does not wait if the time zone is unknown, or if no attempt is known", () => {
    const at = new Date("2026-11-20T12:00:00Z")
    assert.isNull(anotherPartAt(null, at)({ attempts: [at.getTime()], zones: [] }))
    assert.isNull(anotherPartAt(null, at)({ attempts: [], zones: ["UTC"] }))
  })
})
