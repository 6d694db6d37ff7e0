/** The live views of the console. Each is read as of one moment, so its figures never contradict one another (I15). */
import { Schema } from "effect"
import { AccountActivity, AccountPulse, ContactTally, LiveCampaign } from "./AccountOverview.ts"
import { CallSummary } from "./Call.ts"
import { Campaign, CampaignFields, CampaignId, CampaignEnd } from "./Campaign.ts"
import { CampaignSnapshot } from "./CampaignSnapshot.ts"
import { Page } from "./Page.ts"
import { Timestamp } from "./Timestamp.ts"

const { import: _import, variables: _variables, ...campaign } = Campaign.fields

export const CampaignView = Schema.Struct({
  campaign: Schema.Struct(campaign).annotate({
    description: "The campaign without its reports on rows and variables.",
  }),
  snapshot: CampaignSnapshot,
  tally: ContactTally,
  calls: Schema.Array(CallSummary).annotate({ description: "The newest 200 of the campaign's calls in progress." }),
  phases: Schema.Struct({ talking: Schema.Int, ringing: Schema.Int }).annotate({
    description: "The number of the campaign's calls in progress, by phase.",
  }),
  pulse: AccountPulse,
}).annotate({ identifier: "CampaignView" })
export type CampaignView = typeof CampaignView.Type

/** A campaign that needs attention, and the figures that say why. */
export const NeedyCampaign = Schema.Struct({
  id: CampaignId,
  name: CampaignFields.name,
  state: Schema.String,
  max_concurrent_calls: Schema.Int,
  scheduled_at: Schema.NullOr(Timestamp),
  waiting_for: Campaign.fields.waiting_for,
  missing_price: Schema.NullOr(Schema.String).annotate({
    description: "The price that is missing for a limit on spending, and what to do, as a sentence for people.",
  }),
  end_reason: Schema.NullOr(CampaignEnd),
  unknown: Schema.Int.annotate({ description: "The number of contacts whose call has an unknown outcome." }),
}).annotate({ identifier: "NeedyCampaign" })
export type NeedyCampaign = typeof NeedyCampaign.Type

export const AccountView = Schema.Struct({
  pulse: AccountPulse,
  activity: AccountActivity,
  running: Schema.Array(LiveCampaign),
  tallies: Schema.Array(ContactTally).annotate({ description: "The tallies of the running campaigns." }),
  needy: Schema.Array(NeedyCampaign),
  latest: Schema.Array(CallSummary).annotate({ description: "The latest calls." }),
}).annotate({ identifier: "AccountView" })
export type AccountView = typeof AccountView.Type

export const CampaignBoard = Schema.Struct({
  page: Page(Campaign),
  tallies: Schema.Array(ContactTally).annotate({ description: "The tallies of the campaigns on the page." }),
  running: Schema.Array(LiveCampaign),
  pulse: AccountPulse,
}).annotate({ identifier: "CampaignBoard" })
export type CampaignBoard = typeof CampaignBoard.Type
