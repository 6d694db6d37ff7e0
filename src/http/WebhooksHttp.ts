/** Webhooks over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as DeliveryLog from "../events/DeliveryLog.ts"
import * as Webhooks from "../events/Webhooks.ts"
import { Webhook } from "../domain/Webhook.ts"
import { Page } from "../domain/Page.ts"
import { Api } from "./Api.ts"
import { asCreated, withEtag, answerWriter } from "./edge/Resource.ts"

const page = answerWriter(Page(Webhook))

export const layer = HttpApiBuilder.group(Api, "webhooks", (handlers) =>
  handlers.handleAll({
    list: ({ query }) => page(Webhooks.list(query)),
    get: ({ params }) => Effect.map(Webhooks.find(params.id), withEtag),
    create: ({ payload }) => Effect.flatMap(Webhooks.create(payload), (made) => asCreated("/api/v1/webhooks", made)),
    update: ({ headers, params, payload }) =>
      Effect.map(Webhooks.update(params.id, payload, headers["if-match"]), withEtag),
    remove: ({ headers, params }) => Webhooks.remove(params.id, headers["if-match"]),
    deliveries: ({ params, query }) => DeliveryLog.list(params.id, query),
    redeliver: ({ params }) => DeliveryLog.redeliver(params.id, params.delivery_id),
  }),
)
