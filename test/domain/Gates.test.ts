/** Gates of several zones and of several rules: what they answer, and how much they search for it. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { allOf, type Gate, gateIn, horizon, hoursOn, openingOfAll } from "../../src/domain/CallingWindow.ts"
import { zonesOfContact } from "../../src/catalog/NumberZones.ts"
import { day, spanAt } from "../../src/domain/ZoneClock.ts"

const tollFree = zonesOfContact("+18002000000", {})
const working = hoursOn([{ days: ["mon", "tue", "wed", "thu", "fri"], start: "09:00", end: "20:00" }])
const from = Date.parse("2026-01-01T00:00:00Z")
const moment = fc.integer({ min: from, max: from + 400 * day })

describe("a gate", () => {
  it("of several zones opens when the last of them does, also around clock changes", () => {
    const zones = fc.subarray([...tollFree, "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia"], { minLength: 1 })
    fc.assert(
      fc.property(zones, moment, (zones, at) => {
        const alone = zones.map((zone) => gateIn(working, [zone])(at, at + 10 * day))
        assert.strictEqual(gateIn(working, zones)(at, at + 10 * day), Math.max(...alone))
      }),
    )
  })

  it("of the 42 zones of a toll-free number searches once for each offset", () => {
    assert.isAtLeast(tollFree.length, 40)
    let searches = 0
    const counting = (date: number) => {
      searches++
      return working(date)
    }
    const at = Date.parse("2026-01-08T18:00:00Z")
    const offsets = new Set(tollFree.map((zone) => spanAt(zone, at).offset))
    gateIn(counting, tollFree)(at, at + day)
    // At this moment each search looks at no more than two days.
    assert.isAtMost(searches, 2 * offsets.size)
  })

  it("of several rules opens when all of them do, whatever was asked before", () => {
    const hours = fc.constantFrom("09:00-10:00", "08:00-21:00", "11:00-13:30", "00:00-24:00").map((text) => {
      const [start = "", end = ""] = text.split("-")
      return hoursOn([{ days: ["mon", "wed", "sun"], start, end }])
    })
    const gate = fc.tuple(hours, fc.constantFrom(...tollFree)).map(([hours, zone]): Gate => gateIn(hours, [zone]))
    const questions = fc.array(fc.tuple(moment, fc.integer({ min: 1, max: 20 })), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(fc.array(gate, { maxLength: 4 }), questions, (gates, questions) => {
        const all = allOf(gates)
        for (const [at, days] of questions) {
          const end = at + days * day
          assert.strictEqual(Math.min(all(at, end), end), openingOfAll(gates, at, days * day) ?? end)
        }
      }),
    )
  })

  it("of rules that never open together is searched once for moments of the same closed time", () => {
    let asked = 0
    const closed: Gate = (_, end) => {
      asked++
      return end
    }
    const all = allOf([closed])
    for (let hour = 0; hour < 1_000; hour++) all(from + hour * 3_600_000, from + horizon)
    assert.strictEqual(asked, 1)
  })
})
