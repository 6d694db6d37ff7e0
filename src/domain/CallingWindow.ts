/**
 * The days and hours in which a person may be called, in the called party's time zone or in a stated one (decisions
 * §2, Campaign).
 */
import { Schema } from "effect"
import { TimeZone } from "./TimeZone.ts"
import { type ClockSpan, day, spanAt } from "./ZoneClock.ts"
import { zoneKeyOf } from "./ZoneKey.ts"

const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const
const Day = Schema.Literals(["mon", "tue", "wed", "thu", "fri", "sat", "sun"])

const ClockTime = Schema.String.check(
  Schema.isPattern(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/u, { message: "must be a time such as 09:00" }),
)

const hoursFields = {
  days: Schema.Array(Day)
    .check(Schema.isMinLength(1), Schema.isMaxLength(7), Schema.isUnique())
    .annotate({ description: "The days of the week on which calls are permitted." }),
  start: ClockTime.annotate({ description: "The first permitted time of day, as `HH:MM`." }),
  end: ClockTime.annotate({
    description: "The end of the permitted time, as `HH:MM`, at most `24:00`. It must be after `start`.",
  }),
}
const isOrdered = Schema.makeFilter(
  (hours: { readonly start: string; readonly end: string }) =>
    hours.start < hours.end || { path: ["end"], issue: "must be after start" },
)

/** Days and hours without a time zone: a rule of a pack applies on the called party's clock. */
export const CallingHours = Schema.Struct(hoursFields).check(isOrdered)
export type CallingHours = typeof CallingHours.Type

export const CallingWindow = Schema.Struct({
  ...hoursFields,
  time_zone: Schema.Union([Schema.Literal("contact"), TimeZone]).annotate({
    description:
      "An IANA time zone that applies to all contacts, or `contact`: the zone in the row's `time_zone` column, otherwise the time zones of the phone number.",
  }),
})
  .annotate({ description: "When calls are permitted: days and hours in a time zone." })
  .check(isOrdered)
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
export const horizon = 400 * day

/** The time zones that the window checks for a contact in `contactZones`. */
export const zonesIn = (window: CallingWindow, contactZones: () => ReadonlyArray<string>): ReadonlyArray<string> =>
  window.time_zone === "contact" ? contactZones() : [window.time_zone]

/** Whether a person in these zones may be called at `now`. With several zones it must be legal in all of them. */
export const verdict = (window: CallingWindow, contactZones: ReadonlyArray<string>, now: Date): Verdict => {
  const zones = zonesIn(window, () => contactZones)
  if (zones.length === 0) return { _tag: "Never" }
  const opens = openingOfAll([gateIn(hoursOn([window]), zones)], now.getTime())
  if (opens === null) return { _tag: "Never" }
  return opens === now.getTime() ? { _tag: "Open" } : { _tag: "OpensAt", at: new Date(opens) }
}

/** The first permitted moment at or after `at`, in milliseconds; `end` or later if there is none before `end`. */
export type Gate = (at: number, end: number) => number

/** The first moment at or after `now` that all gates permit. Null if there is none within the milliseconds `ahead`. */
export const openingOfAll = (gates: ReadonlyArray<Gate>, now: number, ahead = horizon): number | null => {
  const end = now + ahead
  // Each step moves to the next opening of a gate that is closed at `at`, until all are open.
  for (let at = now; at < end;) {
    const opens = gates.reduce((latest, gate) => Math.max(latest, gate(at, end)), at)
    if (opens === at) return at
    at = opens
  }
  return null
}

/** The spans of a day in which calls are permitted, in order, as milliseconds since midnight. `date`: days since 1970. */
export type HoursOn = (date: number) => ReadonlyArray<readonly [start: number, end: number]>

/**
 * A gate that is open while the clock of every zone shows a permitted time. Without a zone it is never open. Zones with
 * the same offset open at the same moment unless a clock changes before, so it is searched for once: the 42 zones of a
 * toll-free number have some ten offsets.
 */
export const gateIn =
  (hours: HoursOn, zones: ReadonlyArray<string>): Gate =>
  (at, end) => {
    if (zones.length === 0) return end
    const byOffset = new Map<number, number>()
    let latest = at
    for (const zone of zones) {
      const { offset, until } = spanAt(zone, at)
      const before = byOffset.get(offset)
      if (before !== undefined && before < until) continue
      const opens = openingFrom(hours, zone, at, end)
      if (opens < until) byOffset.set(offset, opens)
      latest = Math.max(latest, opens)
    }
    return latest
  }

/**
 * A gate that is open when all of these are. It remembers when they are closed, so that questions about moments of the
 * same closed time cost one search; a search of all `horizon` takes some ten milliseconds.
 */
export const allOf = (gates: ReadonlyArray<Gate>): Gate => {
  const closed: Array<{ readonly from: number; readonly until: number; readonly opens: boolean }> = []
  return (from, end) => {
    for (let at = from; at < end;) {
      const known = closed.find((one) => one.from <= at && at < one.until)
      if (known === undefined) {
        const opens = openingOfAll(gates, at, end - at)
        if (opens === at) return at
        if (closed.length >= rememberedClosings) closed.shift()
        closed.push({ from: at, until: opens ?? end, opens: opens !== null })
        return opens ?? end
      }
      if (known.opens) return Math.min(known.until, end)
      at = known.until
    }
    return end
  }
}

/** A search goes through them one by one. */
const rememberedClosings = 16

/** The permitted spans of each day of the week, as a function of the date. */
export const hoursOn = (all: ReadonlyArray<CallingHours>): HoursOn => {
  const byDay = days.map((name) =>
    all
      .filter((hours) => hours.days.includes(name))
      .map(({ end, start }) => [sinceMidnight(start), sinceMidnight(end)] as const)
      .sort(([a], [b]) => a - b),
  )
  // The epoch was a Thursday, hence the 4.
  return (date) => byDay[(date + 4) % 7] ?? []
}

/**
 * When a window that is open at `now` may close next, in milliseconds: at the end of the day's hours in the first of
 * the zones, or at a clock change. It may be open again at once, so the caller asks `verdict` again.
 */
export const findClosing = (window: CallingWindow, contactZones: ReadonlyArray<string>, now: number): number => {
  const end = sinceMidnight(window.end)
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
  const known = new Map<number, Verdict>()
  return (zones) => {
    const key = zoneKeyOf(zones)
    const before = known.get(key)
    if (before !== undefined) return before
    const say = verdict(window, zones, now)
    known.set(key, say)
    return say
  }
}

const sinceMidnight = (time: string): number => (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * 60_000

/**
 * The first open moment in `zone` at or after `from`, clock changes and skipped days included; `end` if there is none.
 */
const openingFrom = (hours: HoursOn, zone: string, from: number, end: number): number => {
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
 * a span, so a day is plain arithmetic.
 */
const openingIn = (hours: HoursOn, { offset, until }: ClockSpan, from: number): number => {
  for (let date = Math.floor((from + offset) / day); ; date++) {
    const midnight = date * day - offset
    if (midnight >= until) return until
    for (const [start, end] of hours(date)) {
      const opens = Math.max(from, midnight + start)
      if (opens < midnight + end) return opens
    }
  }
}
