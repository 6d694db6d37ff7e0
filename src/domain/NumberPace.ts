/**
 * How fast calls may begin from one phone number: carriers limit calls per second (CPS), and queue or refuse what
 * exceeds the limit. Calls are spaced evenly, so that no second begins with a burst.
 */
import { Schema } from "effect"
import type { Carrier } from "./PhoneNumber.ts"
import { type Issue, limitFields } from "./Refusals.ts"

/** The bounds of `calls_per_second` in a number's `carrier_config`. */
const slowest = 0.1
const fastest = 100

/**
 * Calls per second by carrier; null means no limit. Twilio's own limit for a new account is 1. The lab has none, and
 * the limits of the other carriers are known only to the number's owner.
 */
const ofCarrier: Record<Carrier, number | null> = { twilio: 1, lab: null, sip: null, telnyx: null }

/**
 * Calls per second of a number, by the carrier's limit or by the seconds between calls that its owner wants, whichever is
 * slower; null means no limit.
 */
export const callsPerSecond = (number: {
  readonly carrier: Carrier
  readonly carrier_config: Schema.JsonObject
  readonly min_seconds_between_calls: number | null
}): number | null => {
  const own = number.carrier_config["calls_per_second"]
  const carriers = typeof own === "number" ? own : ofCarrier[number.carrier]
  if (number.min_seconds_between_calls === null) return carriers
  return Math.min(carriers ?? Infinity, 1 / number.min_seconds_between_calls)
}

type Limits = Parameters<typeof callsPerSecond>[0] & { readonly max_calls_per_day: number | null }

/** Whether `next` permits calls that the number could not begin before, in a day or in a second. */
export const permitsMore = (next: Limits, before: Limits): boolean =>
  (next.max_calls_per_day ?? Infinity) > (before.max_calls_per_day ?? Infinity) ||
  (callsPerSecond(next) ?? Infinity) > (callsPerSecond(before) ?? Infinity)

/** The fault of the setting `calls_per_second`, for the client that writes it. */
export const paceIssues = (carrier_config: Schema.JsonObject): ReadonlyArray<Issue> => {
  const own = carrier_config["calls_per_second"]
  if (own === undefined || (typeof own === "number" && own >= slowest && own <= fastest)) return []
  return [{ pointer: "/carrier_config/calls_per_second", detail: `must be a number between ${slowest} and ${fastest}` }]
}

/**
 * The number of calls that may begin at the same moment: one below 40 calls a second, and from there on the calls of a
 * twentieth of a second, so that a fast number costs at most some forty transactions a second.
 */
export const groupOf = (rate: number): number => Math.max(1, Math.floor(rate / 20))

/**
 * Seconds from a group of `calls` to the next. The divisor is the rate minus the other calls of a full group: then no
 * second, wherever it begins, has more calls than the rate (rounded up).
 */
export const spacingSeconds = (rate: number, calls: number): number => calls / (rate - (groupOf(rate) - 1))

/** How many calls a number's pace permits at one moment. */
export interface NumberPace {
  readonly calls_per_second: number | null
  /** The number of calls that may begin now. Infinity if the number has no pace. */
  readonly free: number
  /** Milliseconds until a call may begin; 0 if one may begin now. */
  readonly free_in_ms: number
}

/** Whether the pace is the limit that holds back another call after `begun` calls. */
export const holds = ({ calls_per_second, free }: NumberPace, begun: number): boolean =>
  calls_per_second !== null && (begun > 0 || free === 0)

/**
 * Milliseconds until another call may begin, of this campaign or of one that goes first; null if the number has no
 * pace.
 */
export const nextInMs = ({ calls_per_second, free, free_in_ms }: NumberPace, begun: number): number | null => {
  if (calls_per_second === null) return null
  return free === 0 ? free_in_ms : Math.ceil(spacingSeconds(calls_per_second, Math.max(1, begun)) * 1_000)
}

/** Too many direct calls already wait for this number, so another one would wait too long. */
export class NumberPaceReached extends Schema.TaggedError<NumberPaceReached>()("NumberPaceReached", {
  code: Schema.Literal("rate_limited").annotate({ description: "The stable name of the kind of problem." }),
  calls_per_second: Schema.Finite.annotate({ description: "The rate of the phone number." }),
  ...limitFields,
}) {
  override get message() {
    return `Calls from this number begin at a rate of ${this.calls_per_second} per second, and the calls that already wait take until ${this.resets_at.toISOString()}. Try again then.`
  }
}

/** The number has begun its `max_calls_per_day`. */
export class NumberDayReached extends Schema.TaggedError<NumberDayReached>()("NumberDayReached", {
  code: Schema.Literal("number_daily_cap").annotate({ description: "The stable name of the kind of problem." }),
  ...limitFields,
}) {
  override get message() {
    return `The number has begun its ${this.limit} calls of today. Call from another number, or try again after ${this.resets_at.toISOString()}.`
  }
}
