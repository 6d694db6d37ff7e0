/** Retries at another part of the day than the attempts before (decision 0085). */
import { Schema } from "effect"
import { type CallingWindow, type Gate, gateIn, hoursOn, openingOfAll, zonesIn } from "./CallingWindow.ts"
import { day, spanAt } from "./ZoneClock.ts"
import { zoneKeyOf } from "./ZoneKey.ts"

export const RetryTimeOfDay = Schema.Literals(["rotate"])
export type RetryTimeOfDay = typeof RetryTimeOfDay.Type

const hour = 3_600_000

/** The parts of a day, by the hours at which they begin and end. */
const parts = {
  morning: [[5, 11]],
  midday: [[11, 14]],
  afternoon: [[14, 18]],
  evening: [
    [0, 5],
    [18, 24],
  ],
} as const satisfies Record<string, ReadonlyArray<readonly [from: number, to: number]>>
type Part = keyof typeof parts
const names = Object.keys(parts) as ReadonlyArray<Part>

/** A part that does not begin within so many days is not waited for. */
const daysAhead = 7

/** Why a retry is put off, as the record of the decision shows it. */
export interface PutToAnotherPart {
  readonly until: string
  readonly part: Part
  readonly zone: string
  /** The parts of the attempts before, oldest first. */
  readonly tried: ReadonlyArray<Part>
}

interface Retry {
  /** When the contact's attempts began, in milliseconds. */
  readonly attempts: ReadonlyArray<number>
  /** Candidate time zones of the called party. The first one decides on the part of the day. */
  readonly zones: ReadonlyArray<string>
}

/**
 * Returns a function that moves a retry that is due at `now` into a part of the day with the fewest earlier attempts,
 * among the parts with hours of the calling window within a week. It returns null if the retry need not wait: such a
 * part is open now, no part opens within a week, the time zone is unknown, or there are no earlier attempts. The
 * openings are cached by zones: without that, a pass over a thousand retries took up to 1.6 s.
 */
export const anotherPartAt = (window: CallingWindow | null, now: Date) => {
  const known = new Map<number, ReadonlyArray<Opening>>()
  const openingsIn = (zone: string, zones: ReadonlyArray<string>): ReadonlyArray<Opening> => {
    const key = zoneKeyOf(zones)
    const openings =
      known.get(key) ??
      names.flatMap((part) => {
        const at = openingOf(part, [gateOf(part, zone), ...gatesOf(window, zones)], now)
        return at ?? []
      })
    known.set(key, openings)
    return openings
  }
  return ({ attempts, zones }: Retry): PutToAnotherPart | null => {
    const [zone] = zones
    if (zone === undefined || attempts.length === 0) return null
    const tried = attempts.map((at) => partOf(zone, at))
    const openings = openingsIn(zone, zones).map(({ at, part }) => ({
      at,
      part,
      times: tried.filter((other) => other === part).length,
    }))
    const fewest = Math.min(...openings.map(({ times }) => times))
    const first = openings.filter(({ times }) => times === fewest).toSorted((a, b) => a.at - b.at)[0]
    if (first === undefined || first.at <= now.getTime()) return null
    return { until: new Date(first.at).toISOString(), part: first.part, zone, tried }
  }
}

/** The first moment within a part of the day, and within the window. */
interface Opening {
  readonly part: Part
  readonly at: number
}

const openingOf = (part: Part, gates: ReadonlyArray<Gate>, now: Date): Opening | null => {
  const at = openingOfAll(gates, now.getTime(), daysAhead * day)
  return at === null ? null : { part, at }
}

const gateOf = (part: Part, zone: string): Gate => {
  const spans = parts[part].map(([from, to]) => [from * hour, to * hour] as const)
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

const partOf = (zone: string, at: number): Part => {
  const clock = ((at + spanAt(zone, at).offset) % day) / hour
  return names.find((part) => parts[part].some(([from, to]) => clock >= from && clock < to)) ?? "evening"
}
