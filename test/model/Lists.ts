/**
 * The values from which histories are drawn: people with their zones, windows, caps, and moments around clock changes.
 */
import fc from "fast-check"
import { zonesOf } from "../../src/catalog/NumberZones.ts"
import type { CallingWindow } from "../../src/domain/CallingWindow.ts"
import { TimeZone } from "../../src/domain/TimeZone.ts"
import type { Caps } from "./Truth.ts"

export interface Person {
  readonly number: string
  /** The time zone in the contact's row. */
  readonly time_zone: string | null
  readonly zones: ReadonlyArray<string>
}

const of = (number: string, zones: ReadonlyArray<string>, time_zone: string | null = null): Person => ({
  number,
  time_zone,
  zones,
})

const tollFree = "+18005550101"

/** Few, so that campaigns share them. */
export const people: ReadonlyArray<Person> = [
  of("+14155550101", ["America/Los_Angeles"]),
  of("+14155550102", ["America/Los_Angeles"]),
  of("+12125550101", ["America/New_York"]),
  of("+493012345601", ["Europe/Berlin"]),
  of("+493012345602", ["Asia/Kolkata"], "Asia/Kolkata"),
  of("+493012345603", [], "Mars/Olympus"),
  of("+81312345601", ["Asia/Tokyo"]),
  of(tollFree, zonesOf(tollFree)),
  of("+97912345678", []),
]

const weekdays = ["mon", "tue", "wed", "thu", "fri"] as const
const everyDay = [...weekdays, "sat", "sun"] as const
const window = (days: CallingWindow["days"], start: string, end: string, zone = "contact"): CallingWindow => ({
  days,
  start,
  end,
  time_zone: zone === "contact" ? zone : TimeZone.make(zone),
})

const windows: ReadonlyArray<CallingWindow> = [
  window(weekdays, "09:00", "20:00"),
  window(everyDay, "08:00", "21:00"),
  window(everyDay, "00:00", "24:00"),
  window(everyDay, "08:00", "21:00", "Europe/Berlin"),
  // Within the hour that a clock change skips or repeats.
  window(everyDay, "02:30", "05:00"),
  window(["sat", "sun"], "10:00", "10:30"),
]

/** Usually none, so that campaigns dial at any hour: with a closed window little happens. */
export const calling_window = fc.oneof(
  { weight: 4, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom(...windows) },
)

export const caps: fc.Arbitrary<Caps> = fc.record({
  concurrent_max: fc.integer({ min: 1, max: 6 }),
  calls_per_minute: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(60)),
  calls_per_day: fc.oneof(
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 8 }) },
    { weight: 3, arbitrary: fc.constant(1_000) },
  ),
  calling_window,
})

/** Ordinary days, and the evenings before days of 23 and 25 hours in several zones. */
export const beginnings = [
  "2026-11-20T10:00:00.000Z",
  "2026-06-26T20:00:00.000Z",
  "2026-03-28T22:30:00.000Z",
  "2026-10-24T21:59:00.000Z",
  "2026-03-08T04:00:00.000Z",
  "2026-11-01T03:59:59.000Z",
]

export const zones = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]
