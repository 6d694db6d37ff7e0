/** Time zones and calling windows in which tests place retries. */
import fc from "fast-check"
import type { CallingWindow } from "../../src/domain/CallingWindow.ts"
import { TimeZone } from "../../src/domain/TimeZone.ts"

const everyDay = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const

export const zones = fc.constantFrom("America/Los_Angeles", "Europe/Berlin", "Asia/Kathmandu", "UTC")

export const windows: fc.Arbitrary<CallingWindow | null> = fc.constantFrom(
  null,
  { days: [...everyDay], start: "09:00", end: "20:00", time_zone: "contact" },
  { days: ["mon", "wed"], start: "10:00", end: "13:00", time_zone: "contact" },
  { days: ["fri"], start: "08:00", end: "18:30", time_zone: TimeZone.make("UTC") },
)
