/** What a number of a campaign may do from the start of a preflight or forecast on (decision 0084). */
import { callsPerSecond } from "./NumberPace.ts"
import type { Carrier } from "./PhoneNumber.ts"

export interface PlannedNumber {
  /** Null without a pace. */
  readonly calls_per_second: number | null
  /** Null without a limit per day. */
  readonly max_calls_per_day: number | null
  /** The calls that it has begun on the day of the start. */
  readonly begun: number
  /** When its rest ends, in milliseconds since 1970: 0 if it does not rest, Infinity if only a user ends the rest. */
  readonly rests_until: number
}

/** A number as the database has it now. */
export interface StoredNumber {
  readonly carrier: Carrier
  readonly calls_per_second: number | null
  readonly min_seconds_between_calls: number | null
  readonly max_calls_per_day: number | null
  readonly begun_today: number
  readonly rests: boolean
  /** Null for a rest that only a user ends. */
  readonly rests_until: number | null
}

/** `isToday`: whether the simulation begins on the present day of the account. */
export const planNumber = (
  { begun_today, calls_per_second, max_calls_per_day, rests, rests_until, ...number }: StoredNumber,
  isToday: boolean,
): PlannedNumber => ({
  calls_per_second: callsPerSecond({
    ...number,
    carrier_config: calls_per_second === null ? {} : { calls_per_second },
  }),
  max_calls_per_day,
  begun: isToday ? begun_today : 0,
  rests_until: rests ? (rests_until ?? Infinity) : 0,
})

/** Whether the dialler treats the numbers as a pool: a single one without limits of its own only has a pace. */
export const isPool = (numbers: ReadonlyArray<PlannedNumber>): boolean =>
  numbers.length > 1 ||
  numbers.some(({ max_calls_per_day, rests_until }) => max_calls_per_day !== null || rests_until > 0)
