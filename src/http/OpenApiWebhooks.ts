/** The requests that Parley sends to webhooks, as the OpenAPI document describes them (decision 0010). */
import { EventType } from "../domain/Event.ts"

const summaries: Record<EventType, string> = {
  "call.started": "A call was begun",
  "call.ended": "A call has ended",
  "campaign.started": "A campaign runs",
  "campaign.paused": "A campaign was paused",
  "campaign.completed": "A campaign has ended",
  "campaign.failed": "A campaign has ended as failed",
  "contact.completed": "A contact was reached",
  "contact.failed": "A contact was not reached, and will not be dialled again",
}

const subjects: Record<string, string> = { call: "CallInEvent", campaign: "CampaignInEvent", contact: "ContactInEvent" }

const header = (name: string, description: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
})

const parameters = [
  header("webhook-id", "The event's id, the same for every attempt: drop what you have seen."),
  header("webhook-timestamp", "Seconds since 1970, at which the request was signed."),
  header("webhook-signature", "Standard Webhooks: `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64."),
]

const webhookOf = (type: EventType) => ({
  post: {
    tags: ["Webhooks"],
    operationId: `webhook.${type}`,
    summary: summaries[type],
    description: "Delivered at least once. Answer with a 2xx within 15 seconds; anything else is tried again.",
    parameters,
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            allOf: [
              { $ref: "#/components/schemas/Event" },
              {
                type: "object",
                properties: {
                  type: { type: "string", const: type },
                  data: { $ref: `#/components/schemas/${subjects[type.split(".", 1)[0] ?? ""]}` },
                },
              },
            ],
          },
        },
      },
    },
    responses: { "2XX": { description: "Received." }, default: { description: "Tried again later." } },
  },
})

/** By the event's type. */
export const webhooks = Object.fromEntries(EventType.literals.map((type) => [type, webhookOf(type)]))
