/** A campaign at one instant, as its event stream shows it (decisions §4; I15). */
import { Schema } from "effect"
import { CampaignId, CampaignStatus, Counts, WaitingFor } from "./Campaign.ts"
import { Forecast } from "./Forecast.ts"
import { Timestamp } from "./Timestamp.ts"

const Usage = Schema.Struct({ used: Schema.Int, limit: Schema.Int })

export const CampaignSnapshot = Schema.Struct({
  campaign_id: CampaignId,
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
  eta_seconds: Schema.NullOr(Schema.Int).annotate({
    description:
      "`forecast.seconds` while the campaign runs, and 0 once it has ended. Null for a draft and for a paused campaign.",
  }),
  forecast: Forecast.annotate({
    description:
      "When the campaign will end, counted from `at`. The forecast considers its slots, the remaining caps of the account (shared by slots when other campaigns run), its calling window, the call rate of its phone number and its retries, by the same rules as a preflight. A draft is forecast from its `scheduled_at`, or as if it started now; a paused campaign as if it were resumed now.",
  }),
  waiting_for: Schema.NullOr(WaitingFor),
  waiting: Schema.Struct({
    slots: Usage.annotate({ description: "This campaign's concurrent calls." }),
    budget: Usage.annotate({ description: "The sum of `max_concurrent_calls` of the account's running campaigns." }),
    per_minute: Usage.annotate({ description: "Calls that the account began in the last 60 seconds." }),
    per_day: Usage.annotate({ description: "Calls that the account began today, in its time zone." }),
    window: Schema.Struct({ open: Schema.Int, closed: Schema.Int, next_open_at: Schema.NullOr(Timestamp) }).annotate({
      description:
        "Pending contacts that may be called now as far as is known (`open`), and those outside their calling window (`closed`).",
    }),
    retries: Schema.Struct({ due: Schema.Int, waiting: Schema.Int, next_at: Schema.NullOr(Timestamp) }),
  }),
  cost: Schema.Struct({ amount: Schema.Finite, currency: Schema.Literal("USD") }).annotate({
    description: "What the campaign's calls have cost so far.",
  }),
  at: Timestamp,
}).annotate({ identifier: "CampaignSnapshot" })
export type CampaignSnapshot = typeof CampaignSnapshot.Type
