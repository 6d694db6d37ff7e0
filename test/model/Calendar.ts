/** Days and hours by a called party's clock, computed from the runtime's own zone data, to judge I9 and I11. */
import type { CallingWindow } from "../../src/domain/CallingWindow.ts"

const formats = new Map<string, Intl.DateTimeFormat>()

const partsAt = (zone: string, at: number): Record<string, string> => {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      weekday: "short",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
    })
  formats.set(zone, format)
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
}

/** The date in that zone. */
export const dayAt = (zone: string, at: number): string => {
  const { day, month, year } = partsAt(zone, at)
  return `${year}-${month}-${day}`
}

const isOpenIn = (window: CallingWindow, zone: string, at: number): boolean => {
  const { hour, minute, weekday = "" } = partsAt(zone, at)
  const time = `${hour}:${minute}`
  return window.days.some((day) => day === weekday.toLowerCase()) && time >= window.start && time < window.end
}

const zonesOf = (window: CallingWindow, own: ReadonlyArray<string>) =>
  window.time_zone === "contact" ? own : [window.time_zone]

/** True if a call at this moment is legal in every zone that the number may be in. False if no zone is known. */
export const isOpen = (window: CallingWindow, own: ReadonlyArray<string>, at: number): boolean => {
  const zones = zonesOf(window, own)
  return zones.length > 0 && zones.every((zone) => isOpenIn(window, zone, at))
}

const quarter = 15 * 60_000
const verdicts = new Map<string, boolean>()

/** True if the window ever opens. Checked every quarter of an hour in two weeks of winter and two of summer. */
export const canOpen = (window: CallingWindow, own: ReadonlyArray<string>): boolean => {
  const zones = zonesOf(window, own)
  const key = JSON.stringify([window, zones])
  const known = verdicts.get(key)
  if (known !== undefined) return known
  const found = ["2026-01-05T00:00:00Z", "2026-07-06T00:00:00Z"].some((start) =>
    Array.from({ length: 14 * 96 }, (_, step) => Date.parse(start) + step * quarter).some((at) =>
      isOpen(window, zones, at),
    ),
  )
  verdicts.set(key, found)
  return found
}
