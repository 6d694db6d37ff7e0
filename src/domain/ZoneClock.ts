/** A zone's clock: how far it is from UTC at a moment, and until when that holds. Clock changes are the runtime's data. */
import { DateTime } from "effect"

/** Between two changes a zone's clock goes as UTC's does, so that its days and hours are arithmetic. */
export interface ClockSpan {
  /** Milliseconds since the epoch: the span's first moment, and the first one after it. */
  readonly from: number
  readonly until: number
  /** Milliseconds to add to UTC. */
  readonly offset: number
}

export const day = 86_400_000
const minute = 60_000
/** How far one look reaches. No zone changes its clock twice within a day, which is the distance of two probes. */
const spanDays = 32
/** Reading a clock takes microseconds, and a dialler asks for the same zones all day. A year is some 12 spans. */
const remembered = 64
/** There are fewer zones than this. */
const rememberedZones = 1_000
const known = new Map<string, Array<ClockSpan>>()

/** The span of `zone` around a moment in which its clock does not change, cut to a month. */
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
  for (let ahead = 1; ahead <= spanDays; ahead++) {
    const next = at + ahead * day
    if (offsetOf(zone, next) !== offset) return { from: at, until: change(zone, next - day, next, offset), offset }
  }
  return { from: at, until: at + spanDays * day, offset }
}

/** The first moment with another offset: clocks change at whole minutes. */
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

/** When the zone's next calendar day begins: after 23, 24 or 25 hours, or as its clock has it. */
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
