/**
 * An account at one instant, as its members see it: its live calls, how much of each cap is used, and how its contacts
 * ended.
 */
import { Schema } from "effect"
import { Account } from "./Account.ts"
import { CostSum } from "./CostSum.ts"
import { CampaignFields, CampaignId } from "./Campaign.ts"
import { CampaignSnapshot } from "./CampaignSnapshot.ts"
import { DailySpendFigures } from "./DailySpend.ts"
import { Amount } from "./Money.ts"
import { Timestamp } from "./Timestamp.ts"

const Usage = Schema.Struct({ used: Schema.Int, limit: Schema.Int })

/**
 * What every page of the console shows in addition to its content. It is cheap enough to be requested every few
 * seconds.
 */
export const AccountPulse = Schema.Struct({
  account: Schema.Struct({
    slug: Account.fields.slug,
    name: Account.fields.name,
    time_zone: Account.fields.time_zone,
    calling_window: Account.fields.calling_window,
  }),
  campaigns: Schema.Record(Schema.String, Schema.Int).annotate({
    description:
      "The number of campaigns by status. Drafts with a future start are `scheduled`, and those that wait for the budget are `waiting`.",
  }),
  slots: Schema.Struct({
    limit: Schema.Int,
    campaign: Schema.Int.annotate({ description: "Slots in use by calls of campaigns." }),
    other: Schema.Int.annotate({ description: "Slots in use by other calls: direct, inbound and widget." }),
    reserved: Schema.Int.annotate({ description: "Slots that running campaigns have reserved and do not use." }),
    left: Schema.Int.annotate({ description: "Slots that another campaign could still reserve." }),
  }),
  per_minute: Usage,
  minute_frees_at: Schema.NullOr(Timestamp).annotate({
    description: "When `per_minute` has room for the next call. Null if there is room now.",
  }),
  per_day: Usage,
  daily_spend: Schema.Struct({ ...DailySpendFigures.fields, limit: Schema.NullOr(Amount) }).annotate({
    description:
      "What today's calls have cost and reserved, and the account's `daily_spend_cap`, which is null if it has none.",
  }),
  waiting_deliveries: Schema.Array(Schema.Struct({ webhook_id: Schema.String, deliveries: Schema.Int })).annotate({
    description: "The webhooks that have refused a delivery, each with the number of deliveries that wait for it.",
  }),
  at: Timestamp,
}).annotate({ identifier: "AccountPulse" })
export type AccountPulse = typeof AccountPulse.Type

/** The account's calls of the last hour, by minute, and of the current day. */
export const AccountActivity = Schema.Struct({
  minutes: Schema.Array(
    Schema.Struct({ at: Timestamp, calls: Schema.Int, outcomes: Schema.Record(Schema.String, Schema.Int) }),
  ).annotate({ description: "The minutes among the last 60 in which calls began." }),
  today: Schema.Struct({ calls: Schema.Int, ended: Schema.Int, answered: Schema.Int, cost: CostSum }).annotate({
    description: "Calls that began today, in the account's time zone, and what those that have ended cost.",
  }),
  first_word_ms: Schema.NullOr(Schema.Int).annotate({
    description:
      "Milliseconds from answer to the agent's first word: the 99th percentile of the last hour. Null if no call was answered.",
  }),
  at: Timestamp,
}).annotate({ identifier: "AccountActivity" })
export type AccountActivity = typeof AccountActivity.Type

/** How many of a campaign's contacts are in each state. The states add up to `total`. */
export const ContactTally = Schema.Struct({
  campaign_id: CampaignId,
  total: Schema.Int,
  not_called: Schema.Int,
  to_be_retried: Schema.Int,
  in_progress: Schema.Int,
  completed: Schema.Int,
  failed: Schema.Int,
  skipped: Schema.Int,
  outcomes: Schema.Record(Schema.String, Schema.Int).annotate({
    description: "The number of completed and failed contacts, by the outcome of the last attempt.",
  }),
}).annotate({ identifier: "ContactTally" })
export type ContactTally = typeof ContactTally.Type

/** A campaign that is running or paused, with its name and its present figures. */
export const LiveCampaign = Schema.Struct({
  ...CampaignSnapshot.fields,
  name: CampaignFields.name,
  max_concurrent_calls: Schema.Int,
}).annotate({ identifier: "LiveCampaign" })
export type LiveCampaign = typeof LiveCampaign.Type
