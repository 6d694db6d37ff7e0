/** The account that one works in, over the router alone: what its own apps show of it on every page. */
import { Schema } from "effect"
import * as AccountOverview from "../campaigns/AccountOverview.ts"
import * as AccountSearch from "../campaigns/AccountSearch.ts"
import { AccountActivity, AccountPulse, ContactTally, LiveCampaign } from "../domain/AccountOverview.ts"
import { CallNames, FoundContact } from "../domain/AccountSearch.ts"
import * as Inputs from "./inputs/Account.ts"
import { Nothing as None } from "./inputs/Fields.ts"
import { query, router } from "./Procedure.ts"

export const account = router({
  pulse: query("read", None, AccountPulse, () => AccountOverview.pulse()),
  activity: query("read", None, AccountActivity, () => AccountOverview.activity()),
  running: query("read", None, Schema.Array(LiveCampaign), () => AccountOverview.running()),
  tallies: query("read", Inputs.CampaignTallies, Schema.Array(ContactTally), ({ campaign_ids }) =>
    AccountOverview.tallies(campaign_ids),
  ),
  contacts: query("read", Inputs.ContactSearch, Schema.Array(FoundContact), ({ limit, search }) =>
    AccountSearch.contacts(search, limit),
  ),
  callNames: query("read", Inputs.CallNames, CallNames, ({ campaign_ids, contact_ids }) =>
    AccountSearch.callNames(campaign_ids, contact_ids),
  ),
})
