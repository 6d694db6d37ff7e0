/** A callback that some campaign of the account still has to dial: the contact that waits for it, and its campaign. */
import { Schema } from "effect"
import { CampaignId, CampaignStatus } from "./Campaign.ts"
import { Contact } from "./Contact.ts"

export const OutstandingCallback = Schema.Struct({
  ...Contact.fields,
  campaign_id: CampaignId.annotate({ description: "The campaign's UUID." }),
  campaign_name: Schema.String.annotate({ description: "The campaign's name." }),
  campaign_status: CampaignStatus.annotate({
    description: "The campaign's status. While it is `paused`, its callbacks are not dialled.",
  }),
  arranged_by: Schema.Literals(["agent", "person"]).annotate({
    description:
      "Who set the time: `agent`, when the called person asked for it in the call, or `person`, when a user or an API key moved the callback.",
  }),
}).annotate({ identifier: "OutstandingCallback" })
export type OutstandingCallback = typeof OutstandingCallback.Type
