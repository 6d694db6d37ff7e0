/** An endpoint of the account that receives events, and the record of one delivery to it (decisions §1 and §2). */
import { Schema } from "effect"
import { EventType, Seq } from "./Event.ts"
import { CreatedAt, Timestamp, timestamp, UpdatedAt } from "./Timestamp.ts"

export const WebhookId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type

/** Shown to clients in place of the secret. A client that sends it back keeps the secret. */
export const secretMask = "********"

const secretText = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u
/** Whether the text is a secret of Standard Webhooks: 24 to 64 bytes. */
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

export const webhookNote = { description: "A note for people. A new webhook has an empty one by default." }

export const WebhookFields = {
  url: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2_000)).annotate({
    description: "The address that events are sent to. It must use https and have a public address.",
  }),
  description: Schema.String.check(Schema.isMaxLength(1_000)),
  events: Schema.Array(Schema.Union([EventType, Schema.Literal("*")]))
    .check(Schema.isMinLength(1), Schema.isMaxLength(20), Schema.isUnique())
    .annotate({ description: "The event types to send. `*` stands for all types, including future ones." }),
  enabled: Schema.Boolean.annotate({
    description:
      "Whether events are sent. Events that occur while the webhook is disabled are never sent to it; read them from `GET /api/v1/events`.",
  }),
}

export const Webhook = Schema.Struct({
  id: WebhookId.annotate({ description: "The webhook's UUID, assigned by Parley." }),
  ...WebhookFields,
  description: WebhookFields.description.annotate(webhookNote),
  disabled_reason: Schema.NullOr(Schema.Literal("gone")).annotate({
    description: "`gone`: the webhook was disabled because its endpoint answered 410.",
  }),
  secret: Schema.String.annotate({
    description:
      'The secret that signs deliveries (Standard Webhooks). It is shown in the answer to the creation; afterwards it is masked as "********".',
  }),
  pending_deliveries: Schema.Int.annotate({
    description: "The number of deliveries that wait for an attempt or are being attempted.",
  }),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}).annotate({ identifier: "Webhook" })
export type Webhook = typeof Webhook.Type

/** Fields that a client may send back; they are ignored. */
export const webhookReadOnly = ["id", "disabled_reason", "pending_deliveries", "created_at", "updated_at"] as const

export const DeliveryStatus = Schema.Literals(["pending", "succeeded", "failed"]).annotate({
  description:
    "`pending`: waiting for the first or next attempt. `failed`: no more attempts, because 24 hours have passed or the endpoint answered 410; you can redeliver it.",
})
export type DeliveryStatus = typeof DeliveryStatus.Type

const AttemptError = Schema.NullOr(Schema.String).annotate({
  description: "Why the attempt failed, as a sentence. Null if it succeeded.",
})

export const DeliveryAttempt = Schema.Struct({
  number: Schema.Int.annotate({ description: "The number of the attempt, from 1." }),
  at: timestamp("When the attempt began."),
  status_code: Schema.NullOr(Schema.Int).annotate({
    description: "The HTTP status of the answer. Null if there was no answer.",
  }),
  error: AttemptError,
  duration_ms: Schema.Int.annotate({ description: "How long the endpoint took, in milliseconds." }),
}).annotate({ identifier: "DeliveryAttempt" })
export type DeliveryAttempt = typeof DeliveryAttempt.Type

/** The result of testing a webhook. */
export const WebhookTrial = Schema.Struct({
  status_code: DeliveryAttempt.fields.status_code,
  error: AttemptError,
  duration_ms: Schema.Int.annotate({ description: "How long the endpoint took, in milliseconds." }),
  response_excerpt: Schema.NullOr(Schema.String).annotate({ description: "The beginning of the answer's body." }),
}).annotate({ identifier: "WebhookTrial" })
export type WebhookTrial = typeof WebhookTrial.Type

export const Redelivered = Schema.Struct({
  deliveries: Schema.Int.annotate({ description: "The number of deliveries that were started again." }),
}).annotate({ identifier: "Redelivered" })

export const Delivery = Schema.Struct({
  id: Schema.String.annotate({ description: "The delivery's UUID." }),
  webhook_id: WebhookId.annotate({ description: "The webhook that the event is sent to." }),
  event_id: Schema.String.annotate({ description: "The event's id, which every attempt sends as `webhook-id`." }),
  event_type: EventType,
  seq: Seq,
  status: DeliveryStatus,
  attempts: Schema.Int.annotate({ description: "The number of attempts begun." }),
  next_attempt_at: Schema.NullOr(Timestamp).annotate({
    description:
      "The earliest time of the next attempt. Null unless `status` is `pending`. During an attempt: when it is repeated if the process dies.",
  }),
  last_attempt_at: Schema.NullOr(Timestamp).annotate({
    description: "When the last attempt began. Null before the first.",
  }),
  last_status_code: Schema.NullOr(Schema.Int).annotate({
    description: "The HTTP status of the last answer. Null if there was no answer.",
  }),
  last_error: AttemptError,
  last_duration_ms: Schema.NullOr(Schema.Int).annotate({
    description: "How long the last attempt took, in milliseconds. Null before the first.",
  }),
  response_excerpt: Schema.NullOr(Schema.String).annotate({ description: "The beginning of the last answer's body." }),
  attempt_log: Schema.Array(DeliveryAttempt).annotate({ description: "The last 20 attempts, oldest first." }),
  created_at: CreatedAt,
}).annotate({ identifier: "Delivery" })
export type Delivery = typeof Delivery.Type
