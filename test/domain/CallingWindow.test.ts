/** When a contact may be called: days and hours on the called party's clock, clock changes included (I11). */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { CallingWindow, verdict } from "../../src/domain/CallingWindow.ts"
import { TimeZone } from "../../src/domain/TimeZone.ts"

const weekdays = ["mon", "tue", "wed", "thu", "fri"] as const
const everyDay = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const
const window = (overrides: Partial<CallingWindow> = {}): CallingWindow => ({
  days: [...weekdays],
  start: "09:00",
  end: "20:00",
  time_zone: "contact",
  ...overrides,
})
const at = (text: string) => new Date(text)
const opens = (text: string) => ({ _tag: "OpensAt", at: at(text) }) as const

describe("a calling window (decisions §2, Campaign)", () => {
  it("is open from its start to before its end", () => {
    const berlin = ["Europe/Berlin"]
    assert.deepStrictEqual(verdict(window(), berlin, at("2026-11-20T07:59:59.999Z")), opens("2026-11-20T08:00:00Z"))
    assert.deepStrictEqual(verdict(window(), berlin, at("2026-11-20T08:00:00Z")), { _tag: "Open" })
    assert.deepStrictEqual(verdict(window(), berlin, at("2026-11-20T18:59:59.999Z")), { _tag: "Open" })
    assert.deepStrictEqual(verdict(window(), berlin, at("2026-11-20T19:00:00Z")), opens("2026-11-23T08:00:00Z"))
  })

  it("goes by the day of the called party, not of UTC", () => {
    // Saturday morning in Auckland is Friday evening in UTC.
    const friday = at("2026-11-20T20:30:00Z")
    assert.deepStrictEqual(verdict(window(), ["Pacific/Auckland"], friday), opens("2026-11-22T20:00:00Z"))
  })

  it("takes a stated zone for all contacts", () => {
    const tokyo = window({ time_zone: TimeZone.make("Asia/Tokyo") })
    assert.deepStrictEqual(verdict(tokyo, [], at("2026-11-20T00:00:00Z")), { _tag: "Open" })
  })

  it("is open only where it is open in all the zones that a number may be in", () => {
    // 09:30 in New York, 06:30 in Los Angeles.
    const both = ["America/New_York", "America/Los_Angeles"]
    assert.deepStrictEqual(verdict(window(), both, at("2026-11-20T14:30:00Z")), opens("2026-11-20T17:00:00Z"))
  })

  it("never opens for an unknown zone: it fails closed", () => {
    assert.deepStrictEqual(verdict(window(), [], at("2026-11-20T12:00:00Z")), { _tag: "Never" })
  })

  it("never opens where two zones have no legal moment in common", () => {
    const short = window({ start: "09:00", end: "10:00" })
    const far = ["Asia/Tokyo", "America/New_York"]
    assert.deepStrictEqual(verdict(short, far, at("2026-11-20T12:00:00Z")), { _tag: "Never" })
  })

  it("opens at nine on a day of 23 hours, and at nine on one of 25", () => {
    const daily = window({ days: [...everyDay] })
    const newYork = ["America/New_York"]
    // 8 March 2026: from EST to EDT. 1 November 2026: back.
    assert.deepStrictEqual(verdict(daily, newYork, at("2026-03-08T02:00:00Z")), opens("2026-03-08T13:00:00Z"))
    assert.deepStrictEqual(verdict(daily, newYork, at("2026-11-01T02:00:00Z")), opens("2026-11-01T14:00:00Z"))
  })

  it("that begins in the hour which a clock change leaves out opens right after it", () => {
    const night = window({ days: [...everyDay], start: "02:30", end: "05:00" })
    // 29 March 2026, Berlin: 02:00 becomes 03:00 at 01:00 UTC.
    const before = verdict(night, ["Europe/Berlin"], at("2026-03-29T00:00:00Z"))
    assert.deepStrictEqual(before, opens("2026-03-29T01:00:00Z"))
    assert.deepStrictEqual(verdict(night, ["Europe/Berlin"], at("2026-03-29T01:45:00Z")), { _tag: "Open" })
  })

  it("that ends at midnight is written 24:00", () => {
    const late = window({ start: "20:00", end: "24:00" })
    assert.deepStrictEqual(verdict(late, ["UTC"], at("2026-11-20T23:59:00Z")), { _tag: "Open" })
    assert.deepStrictEqual(verdict(late, ["UTC"], at("2026-11-21T00:00:00Z")), opens("2026-11-23T20:00:00Z"))
  })

  it("that begins in the hour which comes twice is open in both, and closed between them", () => {
    const night = window({ days: [...everyDay], start: "02:30", end: "02:45" })
    // 25 October 2026, Berlin: 03:00 becomes 02:00 at 01:00 UTC.
    const berlin = (text: string) => verdict(night, ["Europe/Berlin"], at(text))
    assert.deepStrictEqual(berlin("2026-10-24T12:00:00Z"), opens("2026-10-25T00:30:00Z"))
    assert.deepStrictEqual(berlin("2026-10-25T00:45:00Z"), opens("2026-10-25T01:30:00Z"))
    assert.deepStrictEqual(berlin("2026-10-25T01:30:00Z"), { _tag: "Open" })
  })

  it("follows a clock that changes by half an hour", () => {
    const daily = window({ days: [...everyDay] })
    const lordHowe = ["Australia/Lord_Howe"]
    // From +11:00 to +10:30 on 5 April 2026, back on 4 October.
    assert.deepStrictEqual(verdict(daily, lordHowe, at("2026-04-04T10:00:00Z")), opens("2026-04-04T22:30:00Z"))
    assert.deepStrictEqual(verdict(daily, lordHowe, at("2026-10-03T10:00:00Z")), opens("2026-10-03T22:00:00Z"))
  })

  it("knows the zones at the ends of the day, and a day that was left out", () => {
    const monday = window({ days: ["mon"], start: "00:00", end: "24:00" })
    // Monday 23 November 2026 is from 10:00 UTC on Sunday at +14, and ends at 11:00 UTC on Tuesday at -11.
    assert.deepStrictEqual(
      verdict(monday, ["Pacific/Kiritimati"], at("2026-11-21T12:00:00Z")),
      opens("2026-11-22T10:00:00Z"),
    )
    assert.deepStrictEqual(verdict(monday, ["Pacific/Pago_Pago"], at("2026-11-24T10:59:59.999Z")), { _tag: "Open" })
    assert.strictEqual(
      verdict(monday, ["Pacific/Kiritimati", "Pacific/Pago_Pago"], at("2026-11-21T12:00:00Z"))._tag,
      "Never",
    )
    // Samoa went from Thursday the 29th of December 2011 to Saturday the 31st: there was no Friday.
    const friday = window({ days: ["fri"], start: "00:00", end: "24:00" })
    assert.deepStrictEqual(verdict(friday, ["Pacific/Apia"], at("2011-12-28T12:00:00Z")), opens("2012-01-05T10:00:00Z"))
  })

  it("waits for the season in which two zones have hours in common", () => {
    const short = window({ start: "09:00", end: "10:00" })
    // Denver is an hour ahead of Phoenix in summer; its clock goes back on Sunday, 1 November 2026.
    const both = ["America/Denver", "America/Phoenix"]
    assert.deepStrictEqual(verdict(short, both, at("2026-06-01T00:00:00Z")), opens("2026-11-02T16:00:00Z"))
  })

  it("whatever it says of the next opening: then it is open, and just before it is not", () => {
    const zone = fc.constantFrom(
      "UTC",
      "Europe/Berlin",
      "America/New_York",
      "Asia/Kolkata",
      "Australia/Lord_Howe",
      "America/Sao_Paulo",
      "Pacific/Apia",
    )
    const moment = fc.date({ min: at("2026-01-01T00:00:00Z"), max: at("2027-01-01T00:00:00Z"), noInvalidDate: true })
    const hours = fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 1, max: 24 }))
      .filter(([start, end]) => start < end)
      .map((pair) => pair.map((hour) => `${String(hour).padStart(2, "0")}:00`))
    fc.assert(
      fc.property(zone, moment, hours, fc.subarray([...everyDay], { minLength: 1 }), (zone, now, hours, days) => {
        const [start = "00:00", end = "24:00"] = hours
        const own = window({ days, start, end })
        const said = verdict(own, [zone], now)
        if (said._tag !== "OpensAt") return assert.strictEqual(said._tag, "Open")
        assert.isAbove(said.at.getTime(), now.getTime())
        assert.strictEqual(verdict(own, [zone], said.at)._tag, "Open")
        assert.notStrictEqual(verdict(own, [zone], new Date(said.at.getTime() - 1))._tag, "Open")
      }),
      { numRuns: 300 },
    )
  })

  it("says of every zone, around every change of its clock, what that clock itself says", { timeout: 300_000 }, () => {
    const windows = fc.sample(anyWindow, { numRuns: 1_000, seed: 20261121 })
    let drawn = 0
    for (const zone of Intl.supportedValuesOf("timeZone")) {
      const clock = clockOf(zone)
      for (const change of changesIn(clock, 2026)) {
        const own = windows[drawn++ % windows.length] ?? window()
        const moments = Array.from({ length: 52 * 12 }, (_, at) => change + (at - 26 * 12) * step)
        const isOpen = moments.map((moment) => clock(moment).isIn(own))
        moments.forEach((moment, at) => {
          const said = verdict(own, [zone], new Date(moment))
          const next = isOpen.indexOf(true, at)
          const what = `${zone} ${JSON.stringify(own)} at ${new Date(moment).toISOString()}`
          if (isOpen[at] === true) return assert.strictEqual(said._tag, "Open", what)
          if (said._tag !== "OpensAt") return assert.fail(`${what}: ${said._tag}`)
          if (next !== -1) assert.strictEqual(said.at.toISOString(), new Date(moments[next] ?? 0).toISOString(), what)
        })
      }
    }
  })

  it.each([
    { days: [], start: "09:00", end: "10:00", time_zone: "contact" },
    { days: ["mon", "mon"], start: "09:00", end: "10:00", time_zone: "contact" },
    { days: ["mon"], start: "10:00", end: "09:00", time_zone: "contact" },
    { days: ["mon"], start: "9:00", end: "10:00", time_zone: "contact" },
    { days: ["mon"], start: "09:00", end: "25:00", time_zone: "contact" },
    { days: ["mon"], start: "09:00", end: "10:00", time_zone: "Mars/Olympus" },
  ])("refuses %j", (wrong) => {
    assert.isFalse(Schema.is(CallingWindow)(wrong))
  })
})

const step = 5 * 60_000
const stepsADay = 24 * 12
const timeOf = (steps: number) => (steps === stepsADay ? "24:00" : new Date(steps * step).toISOString().slice(11, 16))

const anyWindow: fc.Arbitrary<CallingWindow> = fc
  .tuple(
    fc.integer({ min: 0, max: stepsADay - 1 }),
    fc.integer({ min: 1, max: stepsADay }),
    fc.subarray([...everyDay], { minLength: 1 }),
  )
  .filter(([start, end]) => start < end)
  .map(([start, end, days]) => window({ days, start: timeOf(start), end: timeOf(end) }))

/** What the runtime's own formatter shows on the zone's clock: nothing of this is Parley's arithmetic. */
const clockOf = (zone: string) => {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
  })
  const moment = new Date(0)
  return (ms: number) => {
    moment.setTime(ms)
    const parts = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, value]))
    const time = `${parts.hour}:${parts.minute}`
    const today = parts.weekday?.toLowerCase()
    return {
      time,
      isIn: ({ days, end, start }: CallingWindow) => days.some((day) => day === today) && time >= start && time < end,
    }
  }
}

/** The middles of the days in which a clock changes; for one that does not, of any day. */
const changesIn = (clock: ReturnType<typeof clockOf>, year: number): ReadonlyArray<number> => {
  const day = 86_400_000
  const days = Array.from({ length: 365 }, (_, at) => Date.UTC(year, 0, 1) + at * day)
  const changed = days.filter((at) => clock(at).time !== clock(at + day).time)
  return (changed.length === 0 ? days.slice(0, 1) : changed).map((at) => at + day / 2)
}
