/**
 * A time zone's offset from UTC at a moment, and until when it holds. Clock changes come from the runtime's time zone
 * data.
 */
import { DateTime } from "effect"

/**
 * A span of time without a clock change in a zone. Within it the offset is constant, so days and hours are plain
 * arithmetic.
 */
export interface ClockSpan {
  /** Milliseconds since the epoch: the span's first moment, and the first one after it. */
  readonly from: number
  readonly until: number
  /** Milliseconds to add to UTC. */
  readonly offset: number
}

export const day = 86_400_000
const minute = 60_000
/** The maximum length of a span. */
const spanDays = 32
/**
 * The days between two probes of a span. No zone changes its clock twice within a week: from 2015 to 2040, the closest
 * two changes are 27 days apart (Fiji). Probing day by day took 0.8 s for a year of a toll-free number, which may be
 * in 42 zones.
 */
const probeDays = 8
/**
 * The number of spans that are cached for a zone: reading a clock takes microseconds, and a dialler asks for the same
 * zones all day. A year has some 12 spans.
 */
const remembered = 64
/** The number of zones that are cached; there are fewer zones than this. */
const rememberedZones = 1_000
const known = new Map<string, Array<ClockSpan>>()

/** A span that contains `at` and in which the clock of `zone` does not change, at most 32 days long. */
export const spanAt = (zone: string, at: number): ClockSpan => {
  const spans = known.get(zone) ?? []
  const before = spans.find(({ from, until }) => from <= at && at < until)
  if (before !== undefined) return before
  const span = read(zone, at)
  if (spans.length >= remembered) spans.length = 0
  if (known.size >= rememberedZones) known.clear()
  spans.push(span)
  known.set(zone, spans)
  return span
}

const read = (zone: string, at: number): ClockSpan => {
  const offset = offsetOf(zone, at)
  for (let ahead = probeDays; ahead <= spanDays; ahead += probeDays) {
    const next = at + ahead * day
    if (offsetOf(zone, next) !== offset) {
      return { from: at, until: change(zone, next - probeDays * day, next, offset), offset }
    }
  }
  return { from: at, until: at + spanDays * day, offset }
}

/** The first moment after `before` with another offset. Clocks change at whole minutes. */
const change = (zone: string, before: number, after: number, offset: number): number => {
  let [same, other] = [Math.floor(before / minute), Math.ceil(after / minute)]
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2)
    if (offsetOf(zone, middle * minute) === offset) same = middle
    else other = middle
  }
  return other * minute
}

const offsetOf = (zone: string, at: number): number =>
  DateTime.zonedOffset(DateTime.makeZonedUnsafe(at, { timeZone: zone }))

/** The local time in the zone, as text: `2026-11-20T09:30:00`. */
export const clockText = (zone: string, at: Date): string =>
  new Date(at.getTime() + spanAt(zone, at.getTime()).offset).toISOString().slice(0, 19)

/**
 * When the zone's next calendar day begins. A day has 23, 24 or 25 hours, or another length if the clock changes by
 * another amount.
 */
export const nextDay = (zone: string, from: number): number => {
  const dayOf = (at: number) => Math.floor((at + spanAt(zone, at).offset) / day)
  const today = dayOf(from)
  for (let at = from; ;) {
    const { offset, until } = spanAt(zone, at)
    const midnight = (today + 1) * day - offset
    if (midnight < until) return Math.max(at, midnight)
    at = until
  }
}
