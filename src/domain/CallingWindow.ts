/**
 * The days and hours in which a person may be called, in the called party's time zone or in a stated one (decisions
 * §2, Campaign).
 */
import { Schema } from "effect"
import { TimeZone } from "./TimeZone.ts"
import { type ClockSpan, day, spanAt } from "./ZoneClock.ts"

const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const
const Day = Schema.Literals(["mon", "tue", "wed", "thu", "fri", "sat", "sun"])

const ClockTime = Schema.String.check(
  Schema.isPattern(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/u, { message: "must be a time such as 09:00" }),
)

export const CallingWindow = Schema.Struct({
  days: Schema.Array(Day)
    .check(Schema.isMinLength(1), Schema.isMaxLength(7), Schema.isUnique())
    .annotate({ description: "The days of the week on which calls are permitted." }),
  start: ClockTime.annotate({ description: "The first permitted time of day, as `HH:MM`." }),
  end: ClockTime.annotate({
    description: "The end of the permitted time, as `HH:MM`, at most `24:00`. It must be after `start`.",
  }),
  time_zone: Schema.Union([Schema.Literal("contact"), TimeZone]).annotate({
    description:
      "An IANA time zone that applies to all contacts, or `contact`: the zone in the row's `time_zone` column, otherwise the time zones of the phone number.",
  }),
})
  .annotate({ description: "When calls are permitted: days and hours in a time zone." })
  .check(Schema.makeFilter((window) => window.start < window.end || { path: ["end"], issue: "must be after start" }))
  .annotate({ identifier: "CallingWindow" })
export type CallingWindow = typeof CallingWindow.Type

/**
 * Whether calls are permitted now, from a later moment on, or never. They are never permitted if no time zone is known:
 * a window fails closed (I11).
 */
export type Verdict =
  | { readonly _tag: "Open" }
  | { readonly _tag: "OpensAt"; readonly at: Date }
  | { readonly _tag: "Never" }

/**
 * Two zones may share hours only in summer, so a window counts as never open only if it stays closed for more than a
 * year.
 */
const horizon = 400 * day

/** The time zones that the window checks for a contact in `contactZones`. */
export const zonesIn = (window: CallingWindow, contactZones: () => ReadonlyArray<string>): ReadonlyArray<string> =>
  window.time_zone === "contact" ? contactZones() : [window.time_zone]

/** Whether a person in these zones may be called at `now`. With several zones it must be legal in all of them. */
export const verdict = (window: CallingWindow, contactZones: ReadonlyArray<string>, now: Date): Verdict => {
  const zones = zonesIn(window, () => contactZones)
  if (zones.length === 0) return { _tag: "Never" }
  const hours = hoursOf(window)
  const end = now.getTime() + horizon
  // Each step moves to the next opening of a zone that is closed at `at`, until all are open.
  for (let at = now.getTime(); at < end;) {
    const opens = zones.reduce((latest, zone) => Math.max(latest, openingFrom(hours, zone, at, end)), at)
    if (opens === at) return at === now.getTime() ? { _tag: "Open" } : { _tag: "OpensAt", at: new Date(at) }
    at = opens
  }
  return { _tag: "Never" }
}

/**
 * When a window that is open at `now` may close next, in milliseconds: at the end of the day's hours in the first of
 * the zones, or at a clock change. It may be open again at once, so the caller asks `verdict` again.
 */
export const findClosing = (window: CallingWindow, contactZones: ReadonlyArray<string>, now: number): number => {
  const { end } = hoursOf(window)
  const closings = zonesIn(window, () => contactZones).map((zone) => {
    const { offset, until } = spanAt(zone, now)
    return Math.min(until, Math.floor((now + offset) / day) * day - offset + end)
  })
  return Math.min(...closings)
}

/**
 * The verdicts of one moment, cached by zones: a contact list has few sets of zones, and reading a zone's clock is
 * slow.
 */
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

/**
 * The hours of a window, in milliseconds since midnight on the zone's clock, and whether each day of the week is open,
 * from Sunday.
 */
interface Hours {
  readonly start: number
  readonly end: number
  readonly isOpen: ReadonlyArray<boolean>
}

const hoursOf = ({ days: named, end, start }: CallingWindow): Hours => ({
  start: sinceMidnight(start),
  end: sinceMidnight(end),
  isOpen: days.map((name) => named.includes(name)),
})

const sinceMidnight = (time: string): number => (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * 60_000

/**
 * The first open moment in `zone` at or after `from`, clock changes and skipped days included; `end` if there is none.
 */
const openingFrom = (hours: Hours, zone: string, from: number, end: number): number => {
  for (let at = from; at < end;) {
    const span = spanAt(zone, at)
    const opens = openingIn(hours, span, at)
    if (opens < span.until) return opens
    at = span.until
  }
  return end
}

/**
 * The first open moment at or after `from` within the span; `until` if there is none. The clock does not change within
 * a span, so a week is plain arithmetic. The epoch was a Thursday, hence the 4.
 */
const openingIn = ({ end, isOpen, start }: Hours, { offset, until }: ClockSpan, from: number): number => {
  const today = Math.floor((from + offset) / day)
  for (let ahead = 0; ahead <= 7; ahead++) {
    const midnight = (today + ahead) * day - offset
    const opens = Math.max(from, midnight + start)
    if (opens < midnight + end && isOpen[(today + ahead + 4) % 7] === true) return opens
  }
  return until
}
