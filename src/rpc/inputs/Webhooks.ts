/** Inputs of the operations on webhooks and the event log. */
import { z } from "zod"
import { eventTypes } from "../../domain/EventTypes.ts"
import { between, etag, Key, listOf, page, text, visible, writable } from "./Fields.ts"

const readOnly = ["id", "disabled_reason", "pending_deliveries", "created_at", "updated_at"]

const EventType = z.enum(eventTypes)

const secretForm = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u
/** Standard Webhooks: 24 to 64 bytes. */
const isSecret = (text: string): boolean => {
  if (!secretForm.test(text)) return false
  const base64 = text.slice("whsec_".length)
  const bytes = (base64.length / 4) * 3 - (/=*$/u.exec(base64)?.[0].length ?? 0)
  return bytes >= 24 && bytes <= 64
}
/** The mask is accepted, because a client that reads, edits and writes sends it back. */
const Secret = z.union([
  z.literal("********"),
  z.string().max(100).refine(isSecret, "must be whsec_ and 24 to 64 bytes in base64"),
])

const url = text(1, 2_000).refine(...visible)
const events = listOf(z.enum([...eventTypes, "*"]), 1, 20)
const optional = {
  description: z
    .string()
    .max(1_000)
    .refine(...visible)
    .exactOptional(),
  enabled: z.boolean().exactOptional(),
  secret: Secret.exactOptional(),
}

export const NewWebhook = writable({ url, events, ...optional }, readOnly)
export const WebhookChange = writable(
  { url: url.exactOptional(), events: events.exactOptional(), ...optional },
  readOnly,
)

export const WebhookKey = z.strictObject({ id: Key })
export const WebhookUpdate = WebhookChange.extend({ id: Key, ...etag })
export const WebhookList = z.strictObject(page()).prefault({})

export const DeliveryKey = z.strictObject({ webhook_id: Key, delivery_id: Key })
/** Which deliveries to send again: the pending ones, or the failed ones. */
export const DeliveriesAgain = z.strictObject({
  webhook_id: Key,
  status: z.enum(["pending", "failed"]).prefault("pending"),
})
export const DeliveryList = z.strictObject({
  webhook_id: Key,
  ...page(),
  status: z.enum(["pending", "succeeded", "failed"]).exactOptional(),
  type: EventType.exactOptional(),
})

/** A page of the events after a given one. */
export const EventList = z
  .strictObject({
    after: between(0, Number.MAX_SAFE_INTEGER).exactOptional(),
    limit: between(1, 1_000).prefault(100),
    type: EventType.exactOptional(),
  })
  .prefault({})
