/** The documented webhook endpoints (decisions §1 and §2). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { EventType } from "../domain/Event.ts"
import { visible } from "../domain/Name.ts"
import { Page, pageQuery } from "../domain/Page.ts"
import {
  Delivery,
  DeliveryStatus,
  secretMask,
  Webhook,
  WebhookFields,
  webhookReadOnly,
  WebhookSecret,
} from "../domain/Webhook.ts"
import { Authentication, Needs } from "./edge/Authentication.ts"
import { StrictBody } from "./edge/Body.ts"
import { Idempotent } from "./edge/Idempotency.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import { ShowsSecret } from "./edge/NoStore.ts"
import * as Problems from "./edge/Problems.ts"
import { Created, ifMatch, Tagged, writable } from "./edge/Resource.ts"

/** A client that reads, edits and writes sends the mask back. */
const Secret = Schema.Union([Schema.Literal(secretMask), WebhookSecret])

const url = WebhookFields.url.check(visible)
const optional = {
  description: Schema.optionalKey(
    WebhookFields.description.check(visible).annotate({ description: "Empty if left out." }),
  ),
  enabled: Schema.optionalKey(WebhookFields.enabled),
}

const NewWebhook = writable(
  {
    url,
    events: WebhookFields.events,
    ...optional,
    secret: Schema.optionalKey(Secret).annotate({
      description: "`whsec_` and 24 to 64 bytes in base64; made by the server if left out.",
    }),
  },
  webhookReadOnly,
).annotate({
  identifier: "NewWebhook",
  examples: [{ url: "https://receiver.invalid/parley", events: ["campaign.completed", "contact.failed"] }] as never,
})

const WebhookChange = writable(
  {
    url: Schema.optionalKey(url),
    events: Schema.optionalKey(WebhookFields.events),
    ...optional,
    secret: Schema.optionalKey(Secret).annotate({
      description:
        "A new secret. For 24 hours deliveries carry two signatures, of the new and of the one before. The mask keeps it. Needed when `url` leads to another origin, which then never gets the signature of the one before.",
    }),
  },
  webhookReadOnly,
).annotate({ identifier: "WebhookChange", examples: [{ events: ["*"] }] as never })

const byId = { id: Schema.String.annotate({ description: "The webhook's UUID." }) }

const delivered = [
  "Every event is posted as JSON, as `GET /api/v1/events` shows it, with the headers of Standard Webhooks: `webhook-id` (the event's id, equal for all attempts), `webhook-timestamp` and `webhook-signature`.",
  "Any 2xx within 15 seconds is a success; redirects are not followed. Everything else is tried again, after a random time up to 10 s, 40 s, 2 min 40 s, 10 min 40 s, 42 min 40 s, 2 h 50 min 40 s and then 6 h each, or what `Retry-After` asks for up to 6 h, until 24 hours are over; then the delivery is `failed`. 410 disables the webhook.",
  "Delivery is at least once, and may be out of order: drop a `webhook-id` that you have seen, and sort by `seq`, which has no gap over all types.",
].join(" ")

export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/webhooks", { query: pageQuery(), success: Page(Webhook) })
      .annotate(OpenApi.Summary, "List webhooks")
      .annotate(OpenApi.Description, "Newest first, their secrets masked."),
    HttpApiEndpoint.get("get", "/api/v1/webhooks/:id", {
      params: byId,
      success: Tagged(Webhook),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get a webhook")
      .annotate(OpenApi.Description, "By UUID, its secret masked."),
    HttpApiEndpoint.post("create", "/api/v1/webhooks", {
      payload: NewWebhook,
      success: Created(Webhook),
      error: [Problems.invalid, Problems.invalidState],
    })
      .annotate(ShowsSecret, true)
      .annotate(OpenApi.Summary, "Create a webhook")
      .annotate(
        OpenApi.Description,
        `It is told of events from now on. An account has 100 at most (409). A URL that leads into a private network is refused here, and again before every attempt. ${delivered}`,
      ),
    HttpApiEndpoint.put("update", "/api/v1/webhooks/:id", {
      params: byId,
      headers: ifMatch,
      payload: WebhookChange,
      success: Tagged(Webhook),
      error: [Problems.invalid, Problems.notFound, Problems.preconditionFailed],
    })
      .annotate(OpenApi.Summary, "Change a webhook")
      .annotate(
        OpenApi.Description,
        "Fields left out keep their value. Another URL or secret holds for deliveries that wait, too; other `events` for events from now on.",
      ),
    HttpApiEndpoint.delete("remove", "/api/v1/webhooks/:id", {
      params: byId,
      success: HttpApiSchema.NoContent,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Delete a webhook")
      .annotate(OpenApi.Description, "Its deliveries, those that wait included, go with it."),
    HttpApiEndpoint.get("deliveries", "/api/v1/webhooks/:id/deliveries", {
      params: byId,
      query: { ...pageQuery(), status: Schema.optionalKey(DeliveryStatus), type: Schema.optionalKey(EventType) },
      success: Page(Delivery),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "List a webhook's deliveries")
      .annotate(
        OpenApi.Description,
        "One for each event that it was to be told of, the newest event first; kept as long as the event.",
      ),
    HttpApiEndpoint.post("redeliver", "/api/v1/webhooks/:id/deliveries/:delivery_id/redeliver", {
      params: { ...byId, delivery_id: Schema.String.annotate({ description: "The delivery's UUID." }) },
      success: Delivery,
      error: [Problems.notFound, Problems.invalidState],
    })
      .annotate(OpenApi.Summary, "Deliver again")
      .annotate(
        OpenApi.Description,
        "Begins a new series of attempts at once, whatever came of the one before, and answers the delivery as it now waits. The `webhook-id` stays the same. Not to a disabled webhook (409).",
      ),
  )
  .annotate(OpenApi.Title, "Webhooks")
  .annotate(OpenApi.Description, "Endpoints that are told of events, for an owner of the account to manage.")
  .annotateEndpoints(Needs, "manage")
  .middleware(InvalidRequest)
  .middleware(Idempotent)
  .middleware(StrictBody)
  .middleware(Authentication) {}
