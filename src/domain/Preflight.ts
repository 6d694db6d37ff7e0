/** A preflight: a simulation of a campaign in which calls go as the request assumes. The request and the report. */
import { Schema } from "effect"
import { Outcome } from "./Call.ts"
import { CampaignId, CampaignStatus } from "./Campaign.ts"
import { ContactId } from "./Contact.ts"
import { E164 } from "./E164.ts"
import { DialLimit, Forecast } from "./Forecast.ts"
import { PreflightSpendCap } from "./PreflightSpend.ts"
import { Timestamp, timestamp, TimestampInput } from "./Timestamp.ts"
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
const Assumed = Schema.Struct(assumed).annotate({
  identifier: "PreflightAssumptions",
  description: "The assumptions of the request, with defaults for those that it omitted.",
})
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
  contact_id: ContactId.annotate({ description: "The contact's UUID." }),
  position: Schema.Int.annotate({ description: "The contact's position in the file, from 1." }),
  phone_number: E164.annotate({ description: "The contact's number, in E.164 form." }),
  reason: Schema.Literals(["do_not_call", "no_consent", "outside_window", "rule"]).annotate({
    description:
      "`do_not_call`: the number is on the do-not-call list. `no_consent`: the number has no consent as the campaign requires it. `outside_window`: the calling window never opens for the contact. `rule`: a rule of the campaign's packs never permits the call; `detail` names it.",
  }),
  detail: Schema.String.annotate({ description: "The reason as a sentence for people." }),
})
export type PreflightSkipped = typeof PreflightSkipped.Type

export const PreflightReport = Schema.Struct({
  campaign_id: CampaignId.annotate({ description: "The campaign that was simulated." }),
  status: CampaignStatus,
  assumptions: Assumed,
  starting_at: timestamp("When the simulated campaign starts or resumes."),
  ends_at: Schema.NullOr(Timestamp).annotate({
    description:
      "When the last contact would be finished. Null if that takes more than 366 days; `pending` then says how many contacts are left.",
  }),
  duration_seconds: Schema.NullOr(Schema.Finite).annotate({
    description: "Seconds from `starting_at` to `ends_at`. Null if `ends_at` is.",
  }),
  forecast: Forecast,
  contacts: Schema.Struct({
    considered: Schema.Int.annotate({ description: "All of these contacts: the sum of the other counts." }),
    completed: Schema.Int.annotate({ description: "Contacts that would be reached." }),
    failed: Schema.Int.annotate({ description: "Contacts that would not be reached within their attempts." }),
    skipped: Schema.Int.annotate({ description: "Contacts that would not be called." }),
    pending: Schema.Int.annotate({ description: "Contacts that would be left after 366 days." }),
  }).annotate({ description: "The contacts that are pending or in progress now, by their status at the end." }),
  attempts: Schema.Int.annotate({ description: "The number of attempts that would begin." }),
  outcomes: Schema.Record(
    Outcome,
    Schema.optionalKey(Schema.Int.annotate({ description: "Attempts with this outcome. Absent if there are none." })),
  ).annotate({
    description: "The number of attempts by outcome.",
  }),
  slots: Schema.Struct({
    limit: Schema.Int.annotate({ description: "The campaign's `max_concurrent_calls`." }),
    peak: Schema.Int.annotate({ description: "The highest number of concurrent calls." }),
    average: Schema.Finite.annotate({ description: "The average number, while there is a call." }),
  }).annotate({
    description: "The campaign's concurrent calls. `average` covers the time in which there is at least one.",
  }),
  calls_per_hour: Schema.Array(
    Schema.Struct({
      at: timestamp("When the hour begins."),
      calls: Schema.Int.annotate({ description: "The attempts that begin in the hour." }),
    }),
  ).annotate({
    description: "The number of attempts by the hour in which they begin. Hours without attempts are omitted.",
  }),
  skipped: Schema.Struct({
    do_not_call: Schema.Int.annotate({
      description:
        "Contacts whose number is on the do-not-call list. A contact with several numbers is skipped only if none of them may be called, for the reason of the first.",
    }),
    no_consent: Schema.Int.annotate({
      description: "Contacts whose number has no consent as the campaign requires it.",
    }),
    outside_window: Schema.Int.annotate({ description: "Contacts whose calling window never opens." }),
    rule: Schema.Int.annotate({
      description: "Contacts that a rule of the campaign's packs never permits to be called.",
    }),
    first: Schema.Array(PreflightSkipped).annotate({ description: "The first 100 skipped contacts." }),
  }).annotate({ description: "The contacts that would not be called, by reason." }),
  rules: Schema.Struct({
    refused: Schema.Array(
      Schema.Struct({
        pack: Schema.String.annotate({ description: "The pack's id." }),
        version: Schema.String.annotate({ description: "The pack's version." }),
        rule: Schema.String.annotate({ description: "The rule's id." }),
        title: Schema.String.annotate({ description: "What the rule demands." }),
        put_off: Schema.Int.annotate({ description: "Contacts whose call the rule would put off at least once." }),
        skipped: Schema.Int.annotate({ description: "Contacts whom the rule never permits to call." }),
      }),
    ).annotate({ description: "The rules that would refuse calls." }),
    unchecked: Schema.Int.annotate({
      description:
        "Contacts with a number in a place for which no pack was chosen: no rule is checked for that number.",
    }),
  }).annotate({ description: "What the campaign's rule packs would do. Duties are not checked." }),
  quiet_period: Schema.Struct({
    put_off: Schema.Int.annotate({ description: "Contacts whose call would be put off at least once." }),
  }).annotate({
    description:
      "What `quiet_after_answer_seconds` would do, after calls that were answered before and after simulated ones.",
  }),
  waiting: Schema.Struct({
    most: Schema.NullOr(DialLimit).annotate({
      description: "The limit that costs the most time. Null if no limit costs time.",
    }),
    seconds: Schema.Record(Schema.String, Schema.Finite).annotate({
      description: "Seconds in which a limit keeps the campaign from dialling, by the name of the limit.",
    }),
  }).annotate({
    description:
      "What keeps the campaign from dialling faster, and for how many seconds. The names are those of `waiting_for`, and in addition `slots` (its own `max_concurrent_calls`) and `number_pace` (the calls per second of its phone number).",
  }),
  budget: Schema.Struct({
    requested: Schema.Int.annotate({ description: "The campaign's `max_concurrent_calls`." }),
    in_use: Schema.Int.annotate({ description: "The sum of `max_concurrent_calls` of the other running campaigns." }),
    concurrent_max: Schema.Int.annotate({ description: "The account's `concurrent_max`." }),
    fits: Schema.Boolean.annotate({ description: "Whether the account has room for the campaign now." }),
  }).annotate({ description: "Whether the campaign could start now, given the other running campaigns." }),
  spend_caps: Schema.Array(PreflightSpendCap).annotate({
    description:
      "The limits on spending, and how many calls each covers in the worst case. Empty if neither the campaign nor the account has one. Only `forecast` waits for them: `ends_at` and the other figures are those of a campaign without them.",
  }),
  variables: VariableReport.annotate({
    description: "Variables that the agent's present templates use and that contacts do not have.",
  }),
}).annotate({ identifier: "PreflightReport" })
export type PreflightReport = typeof PreflightReport.Type
