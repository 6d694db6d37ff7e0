/** Where the retries of a preflight go in the day. */
import { bestPartAt } from "./BestTimeOfDay.ts"
import type { PlaceRetry } from "./DialDecision.ts"
import type { Waiting } from "./PreflightQueue.ts"
import type { PreflightPlan } from "./PreflightRun.ts"
import { anotherPartAt } from "./TimeOfDay.ts"

/** Undefined if the campaign leaves that open. */
export const placeRetries = (
  { calls_by_part, retry_time_of_day, window }: Pick<PreflightPlan, "calls_by_part" | "retry_time_of_day" | "window">,
  now: number,
): PlaceRetry<Waiting> | undefined => {
  if (retry_time_of_day === null) return undefined
  if (retry_time_of_day === "rotate") {
    const anotherPart = anotherPartAt(window, new Date(now))
    return ({ began = [], placed_by, zones }) => anotherPart({ attempts: began, zones: placed_by ?? zones })
  }
  // Of the number's own calls only the simulated attempts are known, and no contact is retried that answered.
  const bestPart = bestPartAt(window, calls_by_part, new Date(now))
  const pastOf = (began: ReadonlyArray<number>) => began.map((at) => ({ at, answered: false }))
  return ({ began = [], placed_by, zones }) =>
    bestPart({ attempts: began, past: pastOf(began), zones: placed_by ?? zones })?.put ?? null
}
