/** A campaign at one instant, as its event stream shows it (decisions §4; I15). */
import { Schema } from "effect"
import { CampaignId, CampaignStatus, Counts, WaitingFor } from "./Campaign.ts"
import { CostSum } from "./CostSum.ts"
import { DailySpendFigures } from "./DailySpend.ts"
import { Forecast } from "./Forecast.ts"
import { Amount, currency } from "./Money.ts"
import { Timestamp, timestamp } from "./Timestamp.ts"

const Usage = Schema.Struct({
  used: Schema.Int.annotate({ description: "How much of the limit is in use." }),
  limit: Schema.Int.annotate({ description: "The maximum." }),
})

export const CallerNumbersNow = Schema.Struct({
  total: Schema.Int.annotate({ description: "The numbers that the campaign dials from." }),
  free: Schema.Int.annotate({ description: "Those from which a call may begin now." }),
  resting: Schema.Int.annotate({ description: "Those that rest." }),
  at_daily_limit: Schema.Int.annotate({ description: "Those that have begun their `max_calls_per_day`." }),
  next_at: Schema.NullOr(Timestamp).annotate({
    description:
      "When the next of them may call, if none may now. Null if one may, or if all rest until a user ends it.",
  }),
})

export const CampaignSnapshot = Schema.Struct({
  campaign_id: CampaignId.annotate({ description: "The campaign that the snapshot shows." }),
  status: CampaignStatus,
  counts: Counts,
  active_calls: Schema.Int.annotate({ description: "The number of calls in progress." }),
  dialed: Schema.Int.annotate({ description: "The number of attempts begun so far." }),
  calls_per_minute: Schema.Int.annotate({
    description: "The number of attempts that this campaign began in the last 60 seconds.",
  }),
  outcomes: Schema.Record(Schema.String, Schema.Int).annotate({
    description: "The number of ended attempts by outcome.",
  }),
  dispositions: Schema.optionalKey(Schema.Record(Schema.String, Schema.Int)).annotate({
    description:
      "The number of calls by the key of their disposition. Calls without one are not counted. Absent if no call has one.",
  }),
  eta_seconds: Schema.NullOr(Schema.Int).annotate({
    description:
      "`forecast.seconds` while the campaign runs, and 0 once it has ended. Null for a draft and for a paused campaign.",
  }),
  forecast: Schema.NullOr(Forecast).annotate({
    description: "When the campaign will end, and which limit decides it. Null once it has ended.",
  }),
  waiting_for: Schema.NullOr(WaitingFor),
  missing_price: Schema.optionalKey(Schema.String).annotate({
    description:
      "The price that is missing for a limit on spending, and what to do, as a sentence for people. Absent unless the campaign waits with `spend_cap` because of it.",
  }),
  waiting: Schema.Struct({
    slots: Usage.annotate({ description: "This campaign's concurrent calls." }),
    budget: Usage.annotate({ description: "The sum of `max_concurrent_calls` of the account's running campaigns." }),
    per_minute: Usage.annotate({ description: "Calls that the account began in the last 60 seconds." }),
    per_day: Usage.annotate({ description: "Calls that the account began today, in its time zone." }),
    window: Schema.Struct({
      open: Schema.Int.annotate({ description: "Pending contacts that may be called now, as far as is known." }),
      closed: Schema.Int.annotate({ description: "Pending contacts outside their calling window." }),
      next_open_at: Schema.NullOr(Timestamp).annotate({
        description: "When the window opens for the next of the `closed` contacts. Null if there is none.",
      }),
    }).annotate({
      description:
        "Pending contacts that may be called now as far as is known (`open`), and those outside their calling window (`closed`).",
    }),
    retries: Schema.Struct({
      due: Schema.Int.annotate({ description: "Contacts that may be called again now." }),
      waiting: Schema.Int.annotate({ description: "Contacts whose retry delay still runs." }),
      next_at: Schema.NullOr(Timestamp).annotate({
        description: "When the next retry delay ends. Null if none runs.",
      }),
    }).annotate({ description: "Pending contacts that were called before, without those that asked for a callback." }),
    callbacks: Schema.Struct({
      due: Schema.Int.annotate({ description: "Callbacks whose time has come." }),
      waiting: Schema.Int.annotate({ description: "Callbacks for a later time." }),
      next_at: Schema.NullOr(Timestamp).annotate({ description: "When the next callback is due. Null if none waits." }),
    }).annotate({ description: "Pending contacts that asked to be called back." }),
  }).annotate({ description: "How much of each limit is used, and what the pending contacts wait for." }),
  cost: CostSum.annotate({ description: "What the campaign's calls have cost so far." }),
  spend: Schema.optionalKey(
    Schema.Struct({
      spent: Amount.annotate({
        description: "What the cap counts as spent: `cost` and `written_off`.",
      }),
      written_off: Amount.annotate({
        description:
          "What counts as spent although it may not have been: of calls whose process died, the most that they may have cost beyond their recorded cost.",
      }),
      reserved: Amount.annotate({ description: "The most that the calls in progress may cost." }),
      limit: Amount.annotate({ description: "The campaign's `max_spend`." }),
      currency: Schema.Literal(currency).annotate({ description: "Always US dollars." }),
    }),
  ).annotate({
    description: "How much of `max_spend` is used. Absent if the campaign has none.",
  }),
  daily_spend: Schema.optionalKey(DailySpendFigures).annotate({
    description:
      "How much of the account's `daily_spend_cap` is used, by all its campaigns and other calls. Absent if it has none.",
  }),
  caller_numbers: Schema.optionalKey(CallerNumbersNow).annotate({
    description:
      "What the campaign's numbers may do. Absent for a campaign with one number that has no limit of its own.",
  }),
  at: timestamp("The moment that the snapshot shows."),
}).annotate({ identifier: "CampaignSnapshot" })
export type CampaignSnapshot = typeof CampaignSnapshot.Type
