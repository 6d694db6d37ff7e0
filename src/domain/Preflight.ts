/** A preflight: how a campaign would go if calls went as stated. The request and the report. */
import { Schema } from "effect"
import { Outcome } from "./Call.ts"
import { CampaignId, CampaignStatus } from "./Campaign.ts"
import { ContactId } from "./Contact.ts"
import { E164 } from "./E164.ts"
import { DialLimit, Forecast } from "./Forecast.ts"
import { Timestamp, TimestampInput } from "./Timestamp.ts"
import { VariableReport } from "./VariableReport.ts"

const Rate = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Seconds = (maximum: number) => Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum }))

/** The assumptions of a preflight. */
const assumed = {
  answer_rate: Rate.annotate({ description: "Share of attempts that a person answers. 0.4 if left out." }),
  voicemail_rate: Rate.annotate({ description: "… that a voicemail answers. 0 if left out." }),
  busy_rate: Rate.annotate({ description: "… that are busy. 0 if left out." }),
  rejected_rate: Rate.annotate({ description: "… that are declined. 0 if left out." }),
  invalid_number_rate: Rate.annotate({ description: "… to a number that does not exist. 0 if left out." }),
  carrier_error_rate: Rate.annotate({ description: "… in which the carrier fails. 0 if left out." }),
  no_answer_rate: Rate.annotate({
    description:
      "… that ring out. If left out, what the other rates leave of 1; if stated, all of them must add up to 1.",
  }),
  average_call_seconds: Seconds(14_400).annotate({
    description:
      "How long a person talks. Single calls take half to one and a half times that, and no longer than the agent's `max_call_seconds`. 90 if left out.",
  }),
  voicemail_seconds: Seconds(600).annotate({ description: "How long a voicemail takes. 20 if left out." }),
  ring_seconds: Seconds(120).annotate({
    description:
      "How long it rings until it is answered or declined: half to one and a half times that. 10 if left out.",
  }),
  no_answer_seconds: Seconds(120).annotate({ description: "How long it rings that rings out. 30 if left out." }),
  refused_seconds: Seconds(120).annotate({
    description:
      "How long it takes to learn that a number is busy or does not exist, or that the carrier fails. 1 if left out.",
  }),
  seed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 })).annotate({
    description: "The same seed, assumptions, start and contacts give the same answer. 1 if left out.",
  }),
}
const Assumed = Schema.Struct(assumed).annotate({ identifier: "PreflightAssumptions" })
export type Assumed = typeof Assumed.Type

const defaults: Omit<Assumed, "no_answer_rate"> = {
  answer_rate: 0.4,
  voicemail_rate: 0,
  busy_rate: 0,
  rejected_rate: 0,
  invalid_number_rate: 0,
  carrier_error_rate: 0,
  average_call_seconds: 90,
  voicemail_seconds: 20,
  ring_seconds: 10,
  no_answer_seconds: 30,
  refused_seconds: 1,
  seed: 1,
}

/** Rates written in decimals may miss a sum of 1 by rounding. */
const roundingError = 1e-9

const sumOf = (rates: Partial<Assumed>): number => {
  const all = { ...defaults, ...rates }
  const { answer_rate, busy_rate, carrier_error_rate, invalid_number_rate, rejected_rate, voicemail_rate } = all
  return answer_rate + voicemail_rate + busy_rate + rejected_rate + invalid_number_rate + carrier_error_rate
}

export const PreflightInput = Schema.Struct({
  answer_rate: Schema.optionalKey(assumed.answer_rate),
  voicemail_rate: Schema.optionalKey(assumed.voicemail_rate),
  busy_rate: Schema.optionalKey(assumed.busy_rate),
  rejected_rate: Schema.optionalKey(assumed.rejected_rate),
  invalid_number_rate: Schema.optionalKey(assumed.invalid_number_rate),
  carrier_error_rate: Schema.optionalKey(assumed.carrier_error_rate),
  no_answer_rate: Schema.optionalKey(assumed.no_answer_rate),
  average_call_seconds: Schema.optionalKey(assumed.average_call_seconds),
  voicemail_seconds: Schema.optionalKey(assumed.voicemail_seconds),
  ring_seconds: Schema.optionalKey(assumed.ring_seconds),
  no_answer_seconds: Schema.optionalKey(assumed.no_answer_seconds),
  refused_seconds: Schema.optionalKey(assumed.refused_seconds),
  seed: Schema.optionalKey(assumed.seed),
  starting_at: Schema.optionalKey(
    TimestampInput.annotate({
      description:
        "When it would start, or go on. If left out: a draft at its `scheduled_at` when that is to come, any other now.",
    }),
  ),
})
  .annotate({
    identifier: "PreflightInput",
    examples: [{ answer_rate: 0.4, voicemail_rate: 0.2, busy_rate: 0.05, average_call_seconds: 90 }],
  })
  .check(
    Schema.makeFilter((stated) => {
      const sum = sumOf(stated)
      if (sum > 1 + roundingError) return { path: ["answer_rate"], issue: "must leave the rates at 1 or less together" }
      return stated.no_answer_rate === undefined || Math.abs(sum + stated.no_answer_rate - 1) <= roundingError
        ? true
        : { path: ["no_answer_rate"], issue: "must bring the rates to 1 together, or be left out" }
    }),
  )
export type PreflightInput = typeof PreflightInput.Type

export const assumedOf = ({ starting_at: _, ...stated }: PreflightInput): Assumed => ({
  no_answer_rate: Math.max(0, 1 - sumOf(stated)),
  ...defaults,
  ...stated,
})

export const PreflightSkipped = Schema.Struct({
  contact_id: ContactId,
  position: Schema.Int,
  phone_number: E164,
  reason: Schema.Literals(["do_not_call", "outside_window"]),
  detail: Schema.String,
})
export type PreflightSkipped = typeof PreflightSkipped.Type

export const PreflightReport = Schema.Struct({
  campaign_id: CampaignId,
  status: CampaignStatus,
  assumptions: Assumed,
  starting_at: Timestamp,
  ends_at: Schema.NullOr(Timestamp).annotate({
    description:
      "When its last contact would be settled; null: not within 366 days, and `pending` says how many are left.",
  }),
  duration_seconds: Schema.NullOr(Schema.Finite),
  forecast: Forecast.annotate({
    description: "The same end in the form in which the event stream has it, from `starting_at` on.",
  }),
  contacts: Schema.Struct({
    considered: Schema.Int,
    completed: Schema.Int,
    failed: Schema.Int,
    skipped: Schema.Int,
    pending: Schema.Int,
  }).annotate({ description: "Those that are pending or in progress now, by what would become of them." }),
  attempts: Schema.Int,
  outcomes: Schema.Record(Outcome, Schema.optionalKey(Schema.Int)).annotate({ description: "Attempts by outcome." }),
  slots: Schema.Struct({ limit: Schema.Int, peak: Schema.Int, average: Schema.Finite }).annotate({
    description: "Its concurrent calls; `average` is over the time in which there is at least one.",
  }),
  calls_per_hour: Schema.Array(Schema.Struct({ at: Timestamp, calls: Schema.Int })).annotate({
    description: "Attempts by the hour in which they begin; hours without any are left out.",
  }),
  skipped: Schema.Struct({
    do_not_call: Schema.Int,
    outside_window: Schema.Int,
    first: Schema.Array(PreflightSkipped).annotate({ description: "The first 100." }),
  }).annotate({ description: "Who would not be called, and why." }),
  waiting: Schema.Struct({
    most: Schema.NullOr(DialLimit),
    seconds: Schema.Record(Schema.String, Schema.Finite),
  }).annotate({
    description:
      "What keeps it from dialling more, and for how long: as `waiting_for`; `slots` where its own max_concurrent_calls do, `number_pace` where its phone number's calls per second do.",
  }),
  budget: Schema.Struct({
    requested: Schema.Int,
    in_use: Schema.Int,
    concurrent_max: Schema.Int,
    fits: Schema.Boolean,
  }).annotate({ description: "Whether it could start now beside the other running campaigns." }),
  variables: VariableReport.annotate({ description: "What the agent's templates, as they are now, will lack." }),
}).annotate({ identifier: "PreflightReport" })
export type PreflightReport = typeof PreflightReport.Type
