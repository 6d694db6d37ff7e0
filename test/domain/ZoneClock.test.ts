/** A zone's clock as arithmetic: spans between changes, the next calendar day, and what the clock shows. */
import { assert, describe, it, vi } from "@effect/vitest"
import { clockText, nextDay, spanAt } from "../../src/domain/ZoneClock.ts"

const hour = 3_600_000
const at = (text: string) => Date.parse(text)

describe("a zone's clock", () => {
  it("goes with one offset up to the moment at which it changes, and with another from then on", () => {
    const change = at("2026-03-29T01:00:00Z")
    const winter = spanAt("Europe/Berlin", change - 1)
    assert.deepStrictEqual([winter.offset, winter.until], [hour, change])
    assert.strictEqual(spanAt("Europe/Berlin", change).offset, 2 * hour)
    assert.strictEqual(spanAt("Asia/Kolkata", change).offset, 5.5 * hour)
  })

  it.each([
    ["a common day", "Europe/Berlin", "2026-11-21T10:00:00Z", "2026-11-21T23:00:00Z"],
    ["a day of 23 hours", "Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"],
    ["a day of 25 hours", "Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"],
    [
      "a day that begins at one, because midnight is left out",
      "Africa/Cairo",
      "2026-04-23T12:00:00Z",
      "2026-04-23T22:00:00Z",
    ],
    ["a day after which one is left out", "Pacific/Apia", "2011-12-29T12:00:00Z", "2011-12-30T10:00:00Z"],
    ["midnight itself", "UTC", "2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z"],
  ])("ends %s when the next one begins", (_, zone, from, next) => {
    assert.strictEqual(new Date(nextDay(zone, at(from))).toISOString(), new Date(next).toISOString())
  })

  it("is asked seldom: a dial pass holds the budget meanwhile, and a number may be in 42 zones", () => {
    const asked = vi.spyOn(Intl.DateTimeFormat.prototype, "formatToParts")
    for (let from = at("2031-01-01T00:00:00Z"); from < at("2032-01-01T00:00:00Z");) {
      from = spanAt("America/Denver", from).until
    }
    assert.isBelow(asked.mock.calls.length, 120)
    asked.mockRestore()
  })

  it("shows its own time", () => {
    assert.strictEqual(clockText("Pacific/Kiritimati", new Date("2026-11-21T10:00:00.500Z")), "2026-11-22T00:00:00")
    assert.strictEqual(clockText("America/St_Johns", new Date("2026-07-01T00:00:00Z")), "2026-06-30T21:30:00")
  })
})
