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
  webhookNote,
  webhookReadOnly,
  WebhookSecret,
} from "../domain/Webhook.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import { Needs } from "./edge/Authentication.ts"
import { ShowsSecret } from "./edge/NoStore.ts"
import * as Problems from "./edge/Problems.ts"
import { Created, ifMatch, Tagged, writable } from "./edge/Resource.ts"

/** The mask is accepted, because a client that reads, edits and writes sends it back. */
const Secret = Schema.Union([Schema.Literal(secretMask), WebhookSecret])

const url = WebhookFields.url.check(visible)
const optional = {
  description: Schema.optionalKey(WebhookFields.description.check(visible).annotate(webhookNote)),
  enabled: Schema.optionalKey(WebhookFields.enabled),
}

const NewWebhook = writable(
  {
    url,
    events: WebhookFields.events,
    ...optional,
    secret: Schema.optionalKey(Secret).annotate({
      description:
        "The signing secret: `whsec_` followed by 24 to 64 bytes in base64. If you omit it, the server generates one.",
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
        "A new signing secret. For 24 hours deliveries carry two signatures, one with the new secret and one with the old. Send the mask to keep the secret. A new secret is required if you change `url` to another origin; that origin never receives signatures made with the old secret.",
    }),
  },
  webhookReadOnly,
).annotate({ identifier: "WebhookChange", examples: [{ events: ["*"] }] as never })

const byId = { id: Schema.String.annotate({ description: "The webhook's UUID." }) }

const delivered = [
  "Each event is sent as a POST request. Its JSON body is the event as `GET /api/v1/events` returns it, and its headers follow Standard Webhooks: `webhook-id` (the event's id, the same in all attempts), `webhook-timestamp` and `webhook-signature`.",
  "A 2xx answer within 15 seconds is a success; redirects are not followed. After any other result the delivery is retried after a random delay of up to 10 s, 40 s, 2 min 40 s, 10 min 40 s, 42 min 40 s, 2 h 50 min 40 s and then 6 h each, or after the `Retry-After` of the answer (up to 6 h). After 24 hours the delivery is `failed`. A 410 answer disables the webhook.",
  "Events are delivered at least once and may arrive out of order: ignore a `webhook-id` that you have already processed, and sort by `seq`, which counts the events of all types.",
].join(" ")

export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/webhooks", { query: pageQuery(), success: Page(Webhook) })
      .annotate(OpenApi.Summary, "List webhooks")
      .annotate(OpenApi.Description, "Returns webhooks, newest first. Secrets are masked."),
    HttpApiEndpoint.get("get", "/api/v1/webhooks/:id", {
      params: byId,
      success: Tagged(Webhook),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get a webhook")
      .annotate(OpenApi.Description, "Looks the webhook up by UUID. Its secret is masked."),
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
        "Fields that you omit keep their value. A new URL or secret also applies to pending deliveries; new `events` apply to events from now on.",
      ),
    HttpApiEndpoint.delete("remove", "/api/v1/webhooks/:id", {
      params: byId,
      headers: ifMatch,
      success: HttpApiSchema.NoContent,
      error: [Problems.notFound, Problems.preconditionFailed],
    })
      .annotate(OpenApi.Summary, "Delete a webhook")
      .annotate(OpenApi.Description, "Deletes the webhook and all its deliveries. Pending deliveries are not sent."),
    HttpApiEndpoint.get("deliveries", "/api/v1/webhooks/:id/deliveries", {
      params: byId,
      query: { ...pageQuery(), status: Schema.optionalKey(DeliveryStatus), type: Schema.optionalKey(EventType) },
      success: Page(Delivery),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "List a webhook's deliveries")
      .annotate(
        OpenApi.Description,
        "Returns one delivery for each event that the webhook subscribed to, the newest event first. A delivery is kept as long as its event.",
      ),
    HttpApiEndpoint.post("redeliver", "/api/v1/webhooks/:id/deliveries/:delivery_id/redeliver", {
      params: { ...byId, delivery_id: Schema.String.annotate({ description: "The delivery's UUID." }) },
      success: Delivery,
      error: [Problems.notFound, Problems.invalidState],
    })
      .annotate(OpenApi.Summary, "Redeliver an event")
      .annotate(
        OpenApi.Description,
        "Starts a new series of attempts at once, whatever the status of the delivery, and returns the delivery. `webhook-id` stays the same. Fails with a 409 if the webhook is disabled.",
      ),
  )
  .annotate(OpenApi.Title, "Webhooks")
  .annotate(OpenApi.Description, "Endpoints that receive events. Only owners of the account can manage them.")
  .annotateEndpoints(Needs, "manage")
  .pipe(addAccountMiddleware) {}
