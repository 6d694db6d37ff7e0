/** A campaign's callbacks over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CampaignControl } from "../campaigns/CampaignControl.ts"
import * as Campaigns from "../campaigns/Campaigns.ts"
import * as Contacts from "../campaigns/Contacts.ts"
import { Contact } from "../domain/Contact.ts"
import { Page } from "../domain/Page.ts"
import { Api } from "./Api.ts"
import { answerWriter } from "./edge/Resource.ts"

const page = answerWriter(Page(Contact))

export const layer = HttpApiBuilder.group(
  Api,
  "campaign-callbacks",
  Effect.fnUntraced(function* (handlers) {
    const { cancelCallback, moveCallback } = yield* CampaignControl
    return handlers.handleAll({
      list: ({ params, query }) =>
        page(Effect.flatMap(Campaigns.find(params.id), ({ id }) => Contacts.listCallbacks(id, query))),
      move: ({ params, payload }) => moveCallback(params.id, params.contact_id, new Date(payload.at)),
      cancel: ({ params }) => cancelCallback(params.id, params.contact_id),
    })
  }),
)
