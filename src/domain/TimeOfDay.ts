/** Retries at another part of the day than the attempts before (decision 0085). */
import { Schema } from "effect"
import type { CallingWindow } from "./CallingWindow.ts"
import { type DayPart, dayPartAt, openingsAt, type PartOpening } from "./DayParts.ts"

/** `best` is in BestTimeOfDay. */
export const RetryTimeOfDay = Schema.Literals(["rotate", "best"])
export type RetryTimeOfDay = typeof RetryTimeOfDay.Type

/** The part of the day that a retry goes to, and why, as the records of decisions show it. */
export interface PartGrounds {
  readonly part: DayPart
  readonly zone: string
  /** The parts of the attempts before, oldest first. */
  readonly tried: ReadonlyArray<DayPart>
}

/** A retry that was moved to another part of the day. */
export interface MovedRetry extends PartGrounds {
  readonly until: string
}

export interface Retry {
  /** When the contact's attempts began, in milliseconds. */
  readonly attempts: ReadonlyArray<number>
  /** Candidate time zones of the called party. The first one decides on the part of the day. */
  readonly zones: ReadonlyArray<string>
}

/**
 * Returns a function that moves a retry that is due at `now` into a part of the day with the fewest earlier attempts,
 * among the parts with hours of the calling window within a week. It returns null if the retry need not wait: such a
 * part is open now, no part opens within a week, the time zone is unknown, or there are no earlier attempts.
 */
export const anotherPartAt = (window: CallingWindow | null, now: Date) => {
  const openingsIn = openingsAt(window, now)
  return ({ attempts, zones }: Retry): MovedRetry | null => {
    const [zone] = zones
    if (zone === undefined || attempts.length === 0) return null
    const tried = attempts.map((at) => dayPartAt(zone, at))
    const first = leastTried(openingsIn(zones), tried)
    if (first === undefined || first.at <= now.getTime()) return null
    return { until: new Date(first.at).toISOString(), part: first.part, zone, tried }
  }
}

/** The first opening of the parts with the fewest attempts. */
export const leastTried = (
  openings: ReadonlyArray<PartOpening>,
  tried: ReadonlyArray<DayPart>,
): PartOpening | undefined => {
  const timesIn = (part: DayPart) => tried.filter((other) => other === part).length
  return openings.toSorted((a, b) => timesIn(a.part) - timesIn(b.part) || a.at - b.at)[0]
}
