/** The four parts of a day, and when each begins next within a calling window. */
import { Schema } from "effect"
import { type CallingWindow, type Gate, gateIn, hoursOn, openingOfAll, zonesIn } from "./CallingWindow.ts"
import { day, spanAt } from "./ZoneClock.ts"
import { zoneKeyOf } from "./ZoneKey.ts"

export const DayPart = Schema.Literals(["morning", "midday", "afternoon", "evening"])
export type DayPart = typeof DayPart.Type

const hour = 3_600_000

/** The hours at which each part begins and ends. */
const hours: Readonly<Record<DayPart, ReadonlyArray<readonly [from: number, to: number]>>> = {
  morning: [[5, 11]],
  midday: [[11, 14]],
  afternoon: [[14, 18]],
  evening: [
    [0, 5],
    [18, 24],
  ],
}

/** A part that does not begin within so many days is not waited for. */
const daysAhead = 7

/** The first moment within a part of the day and within the window, in milliseconds. */
export interface PartOpening {
  readonly part: DayPart
  readonly at: number
}

/**
 * Returns the function that finds the next opening of each part, for the candidate zones of a called party. The first
 * zone decides on the part. Parts without hours of the window within a week are left out, and without a zone all are.
 * The openings are cached by zones: without that, a pass over a thousand retries took up to 1.6 s.
 */
export const openingsAt = (window: CallingWindow | null, now: Date) => {
  const known = new Map<number, ReadonlyArray<PartOpening>>()
  return (zones: ReadonlyArray<string>): ReadonlyArray<PartOpening> => {
    const [zone] = zones
    if (zone === undefined) return []
    const key = zoneKeyOf(zones)
    const openings =
      known.get(key) ??
      DayPart.literals.flatMap((part) => {
        const at = openingOfAll([gateOf(part, zone), ...gatesOf(window, zones)], now.getTime(), daysAhead * day)
        return at === null ? [] : { part, at }
      })
    known.set(key, openings)
    return openings
  }
}

/** The part of the day that the clock of `zone` shows at this moment, in milliseconds. */
export const dayPartAt = (zone: string, at: number): DayPart => {
  const clock = ((at + spanAt(zone, at).offset) % day) / hour
  return DayPart.literals.find((part) => hours[part].some(([from, to]) => clock >= from && clock < to)) ?? "evening"
}

const gateOf = (part: DayPart, zone: string): Gate => {
  const spans = hours[part].map(([from, to]) => [from * hour, to * hour] as const)
  return gateIn(() => spans, [zone])
}

const gatesOf = (window: CallingWindow | null, zones: ReadonlyArray<string>): ReadonlyArray<Gate> =>
  window === null
    ? []
    : [
        gateIn(
          hoursOn([window]),
          zonesIn(window, () => zones),
        ),
      ]
