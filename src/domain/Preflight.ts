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
  answer_rate: Rate.annotate({ description: "Share of attempts that a person answers. Defaults to 0.4." }),
  voicemail_rate: Rate.annotate({ description: "Share of attempts that a voicemail answers. Defaults to 0." }),
  busy_rate: Rate.annotate({ description: "Share of attempts that are busy. Defaults to 0." }),
  rejected_rate: Rate.annotate({ description: "Share of attempts that the called person declines. Defaults to 0." }),
  invalid_number_rate: Rate.annotate({
    description: "Share of attempts to a number that does not exist. Defaults to 0.",
  }),
  carrier_error_rate: Rate.annotate({ description: "Share of attempts that fail at the carrier. Defaults to 0." }),
  no_answer_rate: Rate.annotate({
    description:
      "Share of attempts that ring without an answer. Defaults to what the other rates leave of 1. If you set it, all rates must add up to 1.",
  }),
  average_call_seconds: Seconds(14_400).annotate({
    description:
      "The average length of a call with a person, in seconds. Each call takes 0.5 to 1.5 times as long, but at most the agent's `max_call_seconds`. Defaults to 90.",
  }),
  voicemail_seconds: Seconds(600).annotate({
    description: "The length of a call with a voicemail, in seconds. Defaults to 20.",
  }),
  ring_seconds: Seconds(120).annotate({
    description:
      "The average ringing time before a call is answered or declined, in seconds. Each call rings 0.5 to 1.5 times as long. Defaults to 10.",
  }),
  no_answer_seconds: Seconds(120).annotate({
    description: "The ringing time of an attempt without an answer, in seconds. Defaults to 30.",
  }),
  refused_seconds: Seconds(120).annotate({
    description:
      "The seconds until the carrier reports that a number is busy or does not exist, or that the carrier itself failed. Defaults to 1.",
  }),
  seed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 })).annotate({
    description:
      "The seed of the random numbers. The same seed, assumptions, start and contacts give the same report. Defaults to 1.",
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
        "When the campaign would start or resume. Defaults to `scheduled_at` for a draft whose time is in the future, otherwise to now.",
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
      if (sum > 1 + roundingError)
        return { path: ["answer_rate"], issue: "must not bring the sum of the rates above 1" }
      return stated.no_answer_rate === undefined || Math.abs(sum + stated.no_answer_rate - 1) <= roundingError
        ? true
        : { path: ["no_answer_rate"], issue: "must bring the sum of the rates to 1, or be omitted" }
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
      "When the last contact would be finished. Null if that takes more than 366 days; `pending` then says how many contacts are left.",
  }),
  duration_seconds: Schema.NullOr(Schema.Finite),
  forecast: Forecast.annotate({
    description: "The same end in the form of the event stream, counted from `starting_at`.",
  }),
  contacts: Schema.Struct({
    considered: Schema.Int,
    completed: Schema.Int,
    failed: Schema.Int,
    skipped: Schema.Int,
    pending: Schema.Int,
  }).annotate({ description: "The contacts that are pending or in progress now, by their status at the end." }),
  attempts: Schema.Int,
  outcomes: Schema.Record(Outcome, Schema.optionalKey(Schema.Int)).annotate({
    description: "The number of attempts by outcome.",
  }),
  slots: Schema.Struct({ limit: Schema.Int, peak: Schema.Int, average: Schema.Finite }).annotate({
    description: "The campaign's concurrent calls. `average` covers the time in which there is at least one.",
  }),
  calls_per_hour: Schema.Array(Schema.Struct({ at: Timestamp, calls: Schema.Int })).annotate({
    description: "The number of attempts by the hour in which they begin. Hours without attempts are omitted.",
  }),
  skipped: Schema.Struct({
    do_not_call: Schema.Int,
    outside_window: Schema.Int,
    first: Schema.Array(PreflightSkipped).annotate({ description: "The first 100 skipped contacts." }),
  }).annotate({ description: "The contacts that would not be called, by reason." }),
  waiting: Schema.Struct({
    most: Schema.NullOr(DialLimit),
    seconds: Schema.Record(Schema.String, Schema.Finite),
  }).annotate({
    description:
      "What keeps the campaign from dialling faster, and for how many seconds. The names are those of `waiting_for`, and in addition `slots` (its own `max_concurrent_calls`) and `number_pace` (the calls per second of its phone number).",
  }),
  budget: Schema.Struct({
    requested: Schema.Int,
    in_use: Schema.Int,
    concurrent_max: Schema.Int,
    fits: Schema.Boolean,
  }).annotate({ description: "Whether the campaign could start now, given the other running campaigns." }),
  variables: VariableReport.annotate({
    description: "Variables that the agent's present templates use and that contacts do not have.",
  }),
}).annotate({ identifier: "PreflightReport" })
export type PreflightReport = typeof PreflightReport.Type
