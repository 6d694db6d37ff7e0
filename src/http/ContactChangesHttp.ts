/** Changes to the list of a campaign over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CampaignControl } from "../campaigns/CampaignControl.ts"
import { Api } from "./Api.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "contact-changes",
  Effect.fnUntraced(function* (handlers) {
    const control = yield* CampaignControl
    return handlers.handleAll({
      add: ({ params, payload }) => control.addContacts(params.id, payload.contacts),
      withdraw: ({ params }) => control.withdraw(params.id, params.contact_id),
      withdrawMany: ({ params, payload }) => control.withdrawMany(params.id, payload.external_ids),
    })
  }),
)
