/** How often and after what delay a campaign retries, if that depends on how the attempt ended (decision 0080). */
import { Schema } from "effect"
import type { Outcome } from "./Call.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Rule = Schema.Struct({
  retries: Schema.optionalKey(
    between(0, 10).annotate({
      description:
        "The maximum number of retries after attempts with this outcome, within `retries_per_contact`. 0: no retry follows. Without it, only `retries_per_contact` counts.",
    }),
  ),
  delay_seconds: Schema.optionalKey(
    between(0, 604_800).annotate({
      description: "Seconds from the end of such an attempt to the next. Without it, `retry_delay_seconds`.",
    }),
  ),
})
const saysSomething = Schema.makeFilter<typeof Rule.Type>(
  (rule) => Object.keys(rule).length > 0 || "must have retries or delay_seconds",
)

const after = (description: string) => Schema.optionalKey(Rule.annotate({ description }).check(saysSomething))

/** The outcomes whose retries a rule can set. After `unknown`, the campaign's general values apply. */
const retried = ["no_answer", "busy", "voicemail", "carrier_error"] as const satisfies ReadonlyArray<Outcome>

export const RetryByOutcome = Schema.Struct({
  no_answer: after("Retries after an attempt that was not answered."),
  busy: after("Retries after a busy line."),
  voicemail: after("Retries after a voicemail that took no message."),
  carrier_error: after("Retries after an attempt that the carrier failed to place."),
}).annotate({ identifier: "RetryByOutcome" })
export type RetryByOutcome = typeof RetryByOutcome.Type

interface Rules {
  readonly retry_delay_seconds: number
  readonly retry_by_outcome: RetryByOutcome | null
}

const ruleFor = (outcome: Outcome, by: RetryByOutcome | null) =>
  by === null || !isRetried(outcome) ? undefined : by[outcome]

const isRetried = (outcome: Outcome): outcome is keyof RetryByOutcome =>
  (retried as ReadonlyArray<Outcome>).includes(outcome)

/** Seconds from the end of an attempt with this outcome to the next one. */
export const retryDelay = (outcome: Outcome, { retry_by_outcome, retry_delay_seconds }: Rules): number =>
  ruleFor(outcome, retry_by_outcome)?.delay_seconds ?? retry_delay_seconds

/** The retries that may follow attempts with this outcome; Infinity without a limit of its own. */
export const retriesAfter = (outcome: Outcome, by: RetryByOutcome | null): number =>
  ruleFor(outcome, by)?.retries ?? Infinity

/** Whether the number of retries depends on the outcomes of all the attempts of a contact. */
export const countsOutcomes = (by: RetryByOutcome | null): boolean =>
  by !== null && retried.some((outcome) => by[outcome]?.retries !== undefined)

/** The longest delay between two attempts of a campaign, in seconds. */
export const longestDelay = (rules: Rules): number =>
  Math.max(
    ...retried
      .filter((outcome) => retriesAfter(outcome, rules.retry_by_outcome) > 0)
      .map((outcome) => retryDelay(outcome, rules)),
    0,
  )
