/** The caller's account: what the console shows of it on every page. Only the router has these procedures. */
import { Schema } from "effect"
import * as AccountOverview from "../campaigns/AccountOverview.ts"
import * as AccountSearch from "../campaigns/AccountSearch.ts"
import { AccountActivity, AccountPulse, ContactTally, LiveCampaign } from "../domain/AccountOverview.ts"
import { CallNames, FoundContact } from "../domain/AccountSearch.ts"
import { AccountView, CampaignBoard } from "../domain/LiveViews.ts"
import * as Inputs from "./inputs/Account.ts"
import * as Campaigns from "./inputs/Campaigns.ts"
import { Nothing as None } from "./inputs/Fields.ts"
import { settings } from "./AccountSettings.ts"
import { accountView, campaignBoard } from "./LiveViews.ts"
import { query, router, subscription } from "./Procedure.ts"

export const account = router({
  settings,
  pulse: query("read", None, AccountPulse, () => AccountOverview.pulse()),
  activity: query("read", None, AccountActivity, () => AccountOverview.activity()),
  running: query("read", None, Schema.Array(LiveCampaign), () => AccountOverview.findRunning()),
  tallies: query("read", Inputs.CampaignTallies, Schema.Array(ContactTally), ({ campaign_ids }) =>
    AccountOverview.tallies(campaign_ids),
  ),
  /** The overview's figures, all of one moment; sent again when one changes. */
  view: subscription("read", Inputs.AccountView, AccountView, () => accountView),
  /** A page of the list of campaigns with their figures, all of one moment; sent again when one changes. */
  board: subscription("read", Campaigns.CampaignBoard, CampaignBoard, ({ lastEventId: _, ...filter }) =>
    campaignBoard(filter),
  ),
  contacts: query("read", Inputs.ContactSearch, Schema.Array(FoundContact), ({ limit, search }) =>
    AccountSearch.contacts(search, limit),
  ),
  callNames: query("read", Inputs.CallNames, CallNames, ({ campaign_ids, contact_ids }) =>
    AccountSearch.callNames(campaign_ids, contact_ids),
  ),
})
