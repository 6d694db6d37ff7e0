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
  active_calls: Schema.Int,
  dialed: Schema.Int.annotate({ description: "Attempts begun so far." }),
  calls_per_minute: Schema.Int.annotate({ description: "Attempts of this campaign begun in the last 60 seconds." }),
  outcomes: Schema.Record(Schema.String, Schema.Int).annotate({ description: "Ended attempts by outcome." }),
  eta_seconds: Schema.NullOr(Schema.Int).annotate({
    description: "`forecast.seconds` while it runs, 0 once it has ended; null for a draft and during a pause.",
  }),
  forecast: Forecast.annotate({
    description:
      "When it will be done, counted from `at`: with its slots, the caps that the account has left (a share by slots when other campaigns run), its calling window, the pace of its number and its retries. A draft: from its `scheduled_at` on, or as if it started now. A paused one: as if it were resumed now. The rules are those of a preflight.",
  }),
  waiting_for: Schema.NullOr(WaitingFor),
  waiting: Schema.Struct({
    slots: Usage.annotate({ description: "This campaign's calls." }),
    budget: Usage.annotate({ description: "max_concurrent_calls of the account's running campaigns." }),
    per_minute: Usage.annotate({ description: "The account's calls begun in the last 60 seconds." }),
    per_day: Usage.annotate({ description: "The account's calls begun today in its time zone." }),
    window: Schema.Struct({ open: Schema.Int, closed: Schema.Int, next_open_at: Schema.NullOr(Timestamp) }).annotate({
      description: "Pending contacts that may be called now as far as is known, and those outside their hours.",
    }),
    retries: Schema.Struct({ due: Schema.Int, waiting: Schema.Int, next_at: Schema.NullOr(Timestamp) }),
  }),
  cost: Schema.Struct({ amount: Schema.Finite, currency: Schema.Literal("USD") }),
  at: Timestamp,
}).annotate({ identifier: "CampaignSnapshot" })
export type CampaignSnapshot = typeof CampaignSnapshot.Type
