/** Retries at another part of the day than the attempts before (decision 0085). */
import { Schema } from "effect"
import { type CallingWindow, gateIn, type HoursOn, hoursOn, openingOfAll, zonesIn } from "./CallingWindow.ts"
import { day, spanAt } from "./ZoneClock.ts"

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

export interface RetryFacts {
  /** When the contact's attempts began, in milliseconds. */
  readonly attempts: ReadonlyArray<number>
  /** Candidate time zones of the called party. The first one decides on the part of the day. */
  readonly zones: ReadonlyArray<string>
  readonly window: CallingWindow | null
  readonly now: Date
}

/**
 * Returns until when a retry waits that is due at `now`, so that it falls into a part of the day in which the fewest of
 * the attempts before were made. Null if it need not wait: the present part is one of these, or none of them has hours
 * of the calling window within a week, or the time zone is unknown.
 */
export const anotherPart = ({ attempts, now, window, zones }: RetryFacts): PutToAnotherPart | null => {
  const [zone] = zones
  if (zone === undefined || attempts.length === 0) return null
  const tried = attempts.map((at) => partOf(zone, at))
  const openings = names.flatMap((part) => {
    const at = openingOf(part, zone, { now, window, zones })
    return at === null ? [] : [{ at, part, times: tried.filter((other) => other === part).length }]
  })
  const fewest = Math.min(...openings.map(({ times }) => times))
  const first = openings.filter(({ times }) => times === fewest).toSorted((a, b) => a.at - b.at)[0]
  if (first === undefined || first.at <= now.getTime()) return null
  return { until: new Date(first.at).toISOString(), part: first.part, zone, tried }
}

const partOf = (zone: string, at: number): Part => {
  const clock = ((at + spanAt(zone, at).offset) % day) / hour
  return names.find((part) => parts[part].some(([from, to]) => clock >= from && clock < to)) ?? "evening"
}

/** The first moment from `now` on within the part of the day and within the window; null if there is none soon. */
const openingOf = (part: Part, zone: string, { now, window, zones }: Omit<RetryFacts, "attempts">): number | null => {
  const spans = parts[part].map(([from, to]) => [from * hour, to * hour] as const)
  const inPart: HoursOn = () => spans
  const gates = [gateIn(inPart, [zone])]
  if (window !== null)
    gates.push(
      gateIn(
        hoursOn([window]),
        zonesIn(window, () => zones),
      ),
    )
  return openingOfAll(gates, now.getTime(), daysAhead * day)
}
