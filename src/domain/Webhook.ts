/** An endpoint of the account that receives events, and the record of one delivery to it (decisions §1 and §2). */
import { Schema } from "effect"
import { EventType, Seq } from "./Event.ts"
import { Timestamp } from "./Timestamp.ts"

export const WebhookId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type

/** Shown to clients in place of the secret. A client that sends it back keeps the secret. */
export const secretMask = "********"

const secretText = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u
/** Standard Webhooks: 24 to 64 bytes. */
const isSecret = (text: string): boolean => {
  if (!secretText.test(text)) return false
  const base64 = text.slice("whsec_".length)
  const bytes = (base64.length / 4) * 3 - (/=*$/u.exec(base64)?.[0].length ?? 0)
  return bytes >= 24 && bytes <= 64
}

export const WebhookSecret = Schema.String.check(
  Schema.isMaxLength(100),
  Schema.makeFilter((text) => isSecret(text) || "must be whsec_ and 24 to 64 bytes in base64"),
)

export const WebhookFields = {
  url: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2_000)).annotate({
    description: "Where events are posted to: https, at a public address.",
  }),
  description: Schema.String.check(Schema.isMaxLength(1_000)),
  events: Schema.Array(Schema.Union([EventType, Schema.Literal("*")]))
    .check(Schema.isMinLength(1), Schema.isMaxLength(20), Schema.isUnique())
    .annotate({ description: "Types of events it is told of; `*` is every type, those to come included." }),
  enabled: Schema.Boolean.annotate({
    description:
      "A disabled one is told nothing, also not later: when it is enabled again it goes on with the events from then on. What it missed can be pulled from `GET /api/v1/events`.",
  }),
}

export const Webhook = Schema.Struct({
  id: WebhookId,
  ...WebhookFields,
  disabled_reason: Schema.NullOr(Schema.Literal("gone")).annotate({
    description: "`gone`: the endpoint answered 410, and was disabled for that.",
  }),
  secret: Schema.String.annotate({
    description:
      'Signs what is sent (Standard Webhooks). It is shown in the answer to the creation; from then on it is "********".',
  }),
  pending_deliveries: Schema.Int.annotate({ description: "Deliveries that wait for an attempt or for its end." }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotate({ identifier: "Webhook" })
export type Webhook = typeof Webhook.Type

/** Fields that a client may send back; they are ignored. */
export const webhookReadOnly = ["id", "disabled_reason", "pending_deliveries", "created_at", "updated_at"] as const

export const DeliveryStatus = Schema.Literals(["pending", "succeeded", "failed"]).annotate({
  description:
    "`pending`: waits for its first or next attempt. `failed`: given up, after 24 hours of attempts or because the endpoint answered 410; it can be redelivered.",
})
export type DeliveryStatus = typeof DeliveryStatus.Type

const AttemptError = Schema.NullOr(Schema.String).annotate({
  description: "Why it was no success, as a sentence; null when it was one.",
})

export const DeliveryAttempt = Schema.Struct({
  number: Schema.Int.annotate({ description: "From 1." }),
  at: Timestamp,
  status_code: Schema.NullOr(Schema.Int).annotate({ description: "Null when no answer came." }),
  error: AttemptError,
  duration_ms: Schema.Int,
}).annotate({ identifier: "DeliveryAttempt" })
export type DeliveryAttempt = typeof DeliveryAttempt.Type

/** The result of a test. */
export const WebhookTrial = Schema.Struct({
  status_code: DeliveryAttempt.fields.status_code,
  error: AttemptError,
  duration_ms: Schema.Int,
  response_excerpt: Schema.NullOr(Schema.String).annotate({ description: "How the answer's body began." }),
}).annotate({ identifier: "WebhookTrial" })
export type WebhookTrial = typeof WebhookTrial.Type

export const Redelivered = Schema.Struct({ deliveries: Schema.Int }).annotate({ identifier: "Redelivered" })

export const Delivery = Schema.Struct({
  id: Schema.String,
  webhook_id: WebhookId,
  event_id: Schema.String.annotate({ description: "The `webhook-id` of each of its attempts." }),
  event_type: EventType,
  seq: Seq,
  status: DeliveryStatus,
  attempts: Schema.Int.annotate({ description: "Attempts begun." }),
  next_attempt_at: Schema.NullOr(Timestamp).annotate({
    description:
      "Not before this; null unless pending. While an attempt runs: when it begins anew should its process die.",
  }),
  last_attempt_at: Schema.NullOr(Timestamp),
  last_status_code: Schema.NullOr(Schema.Int),
  last_error: AttemptError,
  last_duration_ms: Schema.NullOr(Schema.Int),
  response_excerpt: Schema.NullOr(Schema.String).annotate({ description: "How the last answer's body began." }),
  attempt_log: Schema.Array(DeliveryAttempt).annotate({ description: "The last 20 attempts, oldest first." }),
  created_at: Timestamp,
}).annotate({ identifier: "Delivery" })
export type Delivery = typeof Delivery.Type
