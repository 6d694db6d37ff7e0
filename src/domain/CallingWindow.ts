/** When a person may be called: days and hours in the called party's zone, or in a stated one (decisions §2, Campaign). */
import { DateTime, Duration, Schema } from "effect"
import { TimeZone } from "./TimeZone.ts"

const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const
const Day = Schema.Literals(["mon", "tue", "wed", "thu", "fri", "sat", "sun"])

const ClockTime = Schema.String.check(
  Schema.isPattern(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/u, { message: "must be a time such as 09:00" }),
)

export const CallingWindow = Schema.Struct({
  days: Schema.Array(Day).check(Schema.isMinLength(1), Schema.isMaxLength(7), Schema.isUnique()),
  start: ClockTime,
  end: ClockTime,
  time_zone: Schema.Union([Schema.Literal("contact"), TimeZone]).annotate({
    description: "`contact`: the row's `time_zone` column, else the zones of its number. Or an IANA zone for all.",
  }),
})
  .check(Schema.makeFilter((window) => window.start < window.end || { path: ["end"], issue: "must be after start" }))
  .annotate({ identifier: "CallingWindow" })
export type CallingWindow = typeof CallingWindow.Type

/** Legal now, or not before a moment, or (no zone is known) never: a window fails closed (I11). */
export type Verdict =
  | { readonly _tag: "Open" }
  | { readonly _tag: "OpensAt"; readonly at: Date }
  | { readonly _tag: "Never" }

/** A window that is open at some time of some day opens in every zone within a week; two cover a set of far zones. */
const horizonDays = 15

/** The zones that have a say about a contact whose own are `contactZones`. */
export const zonesIn = (window: CallingWindow, contactZones: () => ReadonlyArray<string>): ReadonlyArray<string> =>
  window.time_zone === "contact" ? contactZones() : [window.time_zone]

/** May somebody in these zones be called at `now`? With several zones it must be legal in all of them. */
export const verdict = (window: CallingWindow, contactZones: ReadonlyArray<string>, now: Date): Verdict => {
  const zones = zonesIn(window, () => contactZones)
  if (zones.length === 0) return { _tag: "Never" }
  let at = DateTime.makeUnsafe(now)
  const end = DateTime.addDuration(at, Duration.days(horizonDays))
  // Each step moves to the next opening of a zone that is closed at `at`, until none is.
  while (DateTime.isLessThan(at, end)) {
    const closed = zones.find((zone) => !isOpen(window, zone, at))
    if (closed === undefined) {
      const opens = DateTime.toDateUtc(at)
      return opens.getTime() === now.getTime() ? { _tag: "Open" } : { _tag: "OpensAt", at: opens }
    }
    at = nextOpening(window, closed, at)
  }
  return { _tag: "Never" }
}

/** The verdicts of one moment: zones decide, a list has few of them, and reading a zone's clock is dear. */
export const verdictsAt = (window: CallingWindow, now: Date): ((zones: ReadonlyArray<string>) => Verdict) => {
  const known = new Map<string, Verdict>()
  return (zones) => {
    const key = zones.join("&")
    const before = known.get(key)
    if (before !== undefined) return before
    const say = verdict(window, zones, now)
    known.set(key, say)
    return say
  }
}

const isOpen = (window: CallingWindow, zone: string, at: DateTime.Utc): boolean => {
  const local = DateTime.toParts(DateTime.setZoneNamedUnsafe(at, zone))
  const time = `${String(local.hour).padStart(2, "0")}:${String(local.minute).padStart(2, "0")}`
  return window.days.some((day) => day === days[local.weekDay]) && time >= window.start && time < window.end
}

/** The first opening in `zone` after `at`: some day's `start`, read on that zone's clock, clock changes included. */
const nextOpening = (window: CallingWindow, zone: string, at: DateTime.Utc): DateTime.Utc => {
  const local = DateTime.toParts(DateTime.setZoneNamedUnsafe(at, zone))
  const [hour = 0, minute = 0] = window.start.split(":").map(Number)
  for (let ahead = 0; ahead <= 8; ahead++) {
    const opening = DateTime.toUtc(
      DateTime.makeZonedUnsafe(
        { year: local.year, month: local.month, day: local.day + ahead, hour, minute, second: 0, millisecond: 0 },
        { timeZone: zone, adjustForTimeZone: true, disambiguation: "later" },
      ),
    )
    if (DateTime.isGreaterThan(opening, at) && isOpen(window, zone, opening)) return opening
  }
  return DateTime.addDuration(at, Duration.days(horizonDays))
}
