/**
 * When a campaign will be done, and which limit decides it: the forecast of the event stream. It applies the rules of a
 * preflight to counts instead of single calls, so it can be made for every snapshot. Without a calling window it costs
 * microseconds. With one, and contacts in sixty sets of time zones, it costs 100 ms when the clocks of these zones are
 * read for the first time, and some 5 ms later.
 */
import { Schema } from "effect"
import type { CallingWindow } from "./CallingWindow.ts"
import { WaitingFor } from "./Campaign.ts"
import { DialledTime, longest, negligible } from "./DialledTime.ts"
import type { PlannedMoney } from "./ForecastMoney.ts"
import type { ZoneShare } from "./ForecastZones.ts"
import type { PlannedNumber } from "./PlannedNumber.ts"
import { SpendCap } from "./SpendCap.ts"
import { Timestamp } from "./Timestamp.ts"

/**
 * What may keep a campaign from dialling faster. In addition to the reasons of `waiting_for`: `slots`, its own
 * max_concurrent_calls, and `number_pace`, the calls per second of its phone number.
 */
export const DialLimit = Schema.Literals([...WaitingFor.literals, "slots", "number_pace"])
export type DialLimit = typeof DialLimit.Type

export const Forecast = Schema.Struct({
  seconds: Schema.NullOr(Schema.Int).annotate({
    description: "Seconds until the last contact is finished. Null if that takes more than 366 days.",
  }),
  ends_at: Schema.NullOr(Timestamp).annotate({
    description: "When the last contact is finished. Null if that takes more than 366 days.",
  }),
  limited_by: Schema.NullOr(DialLimit).annotate({
    description:
      "The limit that costs the most time, such as `slots`, `per_minute_cap`, `daily_cap`, `spend_cap`, `caller_number`, `calling_window` or `retry_delay`. Null if no limit costs time.",
  }),
  spend_cap: Schema.optionalKey(
    SpendCap.annotate({
      description:
        "Which limit on spending it is. Present if `limited_by` is `spend_cap`. After `max_spend` is used up, the campaign does not end before the limit is raised.",
    }),
  ),
  limited_until: Schema.optionalKey(
    Schema.NullOr(Timestamp).annotate({
      description:
        "When the campaign waits for `limited_by` for the last time. Present if that is `spend_cap` or `caller_number`. Null if `ends_at` is: the wait may then end only when a user raises the limit or ends the rest of a number.",
    }),
  ),
  basis: Schema.Literals(["observed", "assumed"]).annotate({
    description:
      "`observed`: based on the duration of this campaign's own calls and the share that was retried. `assumed`: based on the default assumptions of a preflight, because fewer than 10 calls have ended.",
  }),
}).annotate({
  identifier: "Forecast",
  description:
    "When the campaign will end. A snapshot counts from `at`, the report of a preflight from `starting_at`. The forecast considers the campaign's slots, the remaining caps of the account (shared by slots when other campaigns run), the limits on spending, its calling window, the pace, daily limits and rests of its phone numbers, and its retries, by the same rules as a preflight. A draft is forecast from its `scheduled_at`, or as if it started now; a paused campaign as if it were resumed now.",
})
export type Forecast = typeof Forecast.Type

/** Which limit costs the most time, as clients see it. */
export const describeLimit = ({ ends_at, limited_by, limited_until, spend_cap }: ForecastEnd) => ({
  limited_by,
  ...(limited_by === "spend_cap" && spend_cap !== null ? { spend_cap } : {}),
  ...(limited_by === "spend_cap" || limited_by === "caller_number"
    ? { limited_until: ends_at === null || limited_until === null ? null : new Date(limited_until) }
    : {}),
})

export interface ForecastFacts {
  /** When dialling begins or resumes, in milliseconds since 1970. */
  readonly from: number
  readonly contacts: { readonly fresh: number; readonly retrying: number; readonly in_call: number }
  /** When the last contact that waits for its retry is due, in milliseconds since 1970; null if none waits. */
  readonly last_retry_at: number | null
  /** When the last callback that waits is due, in milliseconds since 1970; null if none waits. */
  readonly last_callback_at: number | null
  /** How the waiting contacts are spread over sets of time zones; the shares add up to 1. Needed only with a window. */
  readonly zones: ReadonlyArray<ZoneShare>
  readonly window: CallingWindow | null
  readonly max_concurrent_calls: number
  readonly max_calls_per_minute: number | null
  readonly retries_per_contact: number
  readonly retry_delay_seconds: number
  /** The numbers that it calls from, at `from`; none if they were deleted. */
  readonly numbers: ReadonlyArray<PlannedNumber>
  /** The caps on spending, at `from`; null without any. */
  readonly money: PlannedMoney | null
  readonly account: {
    readonly concurrent_max: number
    readonly calls_per_minute: number
    readonly calls_per_day: number
    readonly time_zone: string
  }
  readonly calls_today: number
  /** The account's calls begun in the last minute. */
  readonly last_minute: number
  /** The average time for which an attempt holds its slot, and the share of attempts that are retried. */
  readonly attempt: { readonly seconds: number; readonly retried: number }
}

/** When the last contact is settled, in milliseconds since 1970; null if that is not within 366 days. */
export interface ForecastEnd {
  readonly ends_at: number | null
  readonly limited_by: DialLimit | null
  /** The cap on spending, if `limited_by` is `spend_cap`. */
  readonly spend_cap: SpendCap | null
  /** The end of the last wait for `limited_by`; Infinity if it has none, null without a limit. */
  readonly limited_until: number | null
}

/** Yields after each reading of a set of time zones, which takes 20 ms at most, so that the caller can rest in between. */
export function* forecast(facts: ForecastFacts): Generator<void, ForecastEnd> {
  const attempts = attemptsLeft(facts)
  const dialling = new DialledTime(facts, attempts)
  const dialled = yield* dialling.run()
  if (dialled === null) return { ends_at: null, ...dialling.longestWait() }
  const retried = Math.max(dialled, attempts > negligible ? (facts.last_retry_at ?? 0) : 0)
  dialling.wait("retry_delay", retried - dialled, retried)
  const begun = Math.max(retried, attempts > negligible ? (facts.last_callback_at ?? 0) : 0)
  dialling.wait("callback", begun - retried, begun)
  const delays = lastRetries(facts, dialling.perMillisecond) * facts.retry_delay_seconds * 1_000
  dialling.wait("retry_delay", delays, begun + delays)
  const last = attempts > negligible ? yield* dialling.nextOpening(begun + delays) : begun
  const isBusy = attempts > negligible || facts.contacts.in_call > 0
  const ends_at = Math.round(last + (isBusy ? facts.attempt.seconds * 1_000 : 0))
  return { ends_at: ends_at - facts.from > longest ? null : ends_at, ...dialling.longestWait() }
}

/** The expected number of attempts for a contact that may have up to `budget` of them. */
const expectedAttempts = (budget: number, retried: number): number => {
  if (budget <= 0) return 0
  return retried >= 1 ? budget : (1 - retried ** budget) / (1 - retried)
}

/**
 * The expected number of calls that have still to begin. The number of attempts that a retrying contact has made is
 * unknown; one is assumed.
 */
const attemptsLeft = ({ attempt, contacts, retries_per_contact }: ForecastFacts): number => {
  const again = expectedAttempts(retries_per_contact, attempt.retried)
  return (
    contacts.fresh * expectedAttempts(1 + retries_per_contact, attempt.retried) +
    contacts.retrying * Math.max(1, again) +
    contacts.in_call * attempt.retried * again
  )
}

/**
 * The number of consecutive retry delays after the last first attempt. Counting stops when fewer than half a contact is
 * expected to remain, or when the retries are used up.
 */
const lastRetries = (
  { attempt, contacts, retries_per_contact, retry_delay_seconds }: ForecastFacts,
  perMillisecond: number,
): number => {
  let left = Math.min(contacts.fresh + contacts.in_call, Math.max(1, perMillisecond * retry_delay_seconds * 1_000))
  let delays = 0
  for (left *= attempt.retried; delays < retries_per_contact && left >= 0.5; left *= attempt.retried) delays++
  return delays
}

interface SharedCaps {
  readonly calls_per_minute: number
  readonly calls_per_day: number
  readonly calls_today: number
}

/**
 * The part of the account's caps that a campaign gets while other campaigns run. Fair share distributes places in
 * proportion to slots (FairShare.ts), so the campaign's share of the caps is its share of the slots. The same share
 * applies to the remaining calls of today.
 */
export const shareOfCaps = (caps: SharedCaps, slots: number, slotsOfOthers: number): SharedCaps => {
  const share = (calls: number) => Math.max(1, Math.floor((calls * slots) / (slots + slotsOfOthers)))
  const left = caps.calls_per_day - caps.calls_today
  const calls_per_day = share(caps.calls_per_day)
  return {
    calls_per_minute: share(caps.calls_per_minute),
    calls_per_day,
    calls_today: left <= 0 ? calls_per_day : calls_per_day - share(left),
  }
}
