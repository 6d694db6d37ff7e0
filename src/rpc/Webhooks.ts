/** Webhooks, their deliveries, and the event log over the router. */
import { Effect } from "effect"
import { EventPage } from "../domain/Event.ts"
import { Page } from "../domain/Page.ts"
import { Delivery, Redelivered, Webhook, WebhookTrial } from "../domain/Webhook.ts"
import * as DeliveryLog from "../events/DeliveryLog.ts"
import * as EventLog from "../events/EventLog.ts"
import * as Room from "../events/Webhooks.ts"
import * as WebhookTest from "../events/WebhookTest.ts"
import { Nothing, Tagged, withEtag } from "./Answers.ts"
import * as Inputs from "./inputs/Webhooks.ts"
import { mutation, query, router } from "./Procedure.ts"

const Answer = Tagged(Webhook)

export const webhooks = router({
  list: query("manage", Inputs.WebhookList, Page(Webhook), Room.list),
  get: query("manage", Inputs.WebhookKey, Answer, ({ id }) => Effect.map(Room.find(id), withEtag)),
  create: mutation("manage", Inputs.NewWebhook, Answer, (webhook) => Effect.map(Room.create(webhook), withEtag)),
  update: mutation("manage", Inputs.WebhookUpdate, Answer, ({ etag, id, ...change }) =>
    Effect.map(Room.update(id, change, etag), withEtag),
  ),
  remove: mutation("manage", Inputs.WebhookKey, Nothing, ({ id }) => Room.remove(id)),
  deliveries: query("manage", Inputs.DeliveryList, Page(Delivery), ({ webhook_id, ...filter }) =>
    DeliveryLog.list(webhook_id, filter),
  ),
  redeliver: mutation("manage", Inputs.DeliveryKey, Delivery, ({ delivery_id, webhook_id }) =>
    DeliveryLog.redeliver(webhook_id, delivery_id),
  ),
  redeliverAll: mutation("manage", Inputs.DeliveriesAgain, Redelivered, ({ status, webhook_id }) =>
    DeliveryLog.redeliverAll(webhook_id, status),
  ),
  test: mutation("manage", Inputs.WebhookKey, WebhookTrial, ({ id }) => WebhookTest.send(id)),
})

export const events = router({
  list: query("read", Inputs.EventList, EventPage, EventLog.listAfter),
})
