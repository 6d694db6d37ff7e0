/** What a phone number may do now, and how many of its calls are answered. */
import type { Outputs } from "../data/AccountPulse.ts"
import { count, share } from "./Figures.ts"
import { exactClock, planned } from "./Times.ts"

type CallerNumber = Outputs["callerNumbers"]["get"]

/** "45% of 120 that reached a phone". A dash if no call did. */
export const answeredWords = ({ answered, rang }: CallerNumber["answers"]["day_1"]): string =>
  rang === 0 ? "–" : `${share(answered, rang)} of ${count(rang)} that reached a phone`

export const stateWords = (
  { next_call_at, rest, state }: Pick<CallerNumber, "next_call_at" | "rest" | "state">,
  now: Date,
  zone: string,
): string => {
  const next = next_call_at === null ? undefined : new Date(next_call_at)
  switch (state) {
    case "free":
      return "May call"
    case "paced":
      return next === undefined ? "May call" : `May call again at ${exactClock(next, zone)}`
    case "at_daily_limit":
      return `Has made its calls of today${next === undefined ? "" : `; may call ${planned(next, now, zone)}`}`
    case "resting":
      return rest === null || rest.until === null
        ? "Rests until a user lets it call again"
        : `Rests until ${planned(new Date(rest.until), now, zone)}`
  }
}
