/** The requests that Parley sends to webhooks, as the OpenAPI document describes them (decision 0010). */
import { EventType } from "../domain/Event.ts"

const summaries: Record<EventType, string> = {
  "call.started": "A call began",
  "call.ended": "A call ended",
  "call.opted_out": "The other party of a call asked not to be called again",
  "call.extracted": "The result of an ended call was read from its transcript",
  "call.disposition_set": "A person set the disposition of a call",
  "campaign.started": "A campaign started or resumed",
  "campaign.paused": "A campaign was paused",
  "campaign.completed": "A campaign ended",
  "campaign.failed": "A campaign failed",
  "contact.completed": "A contact was reached",
  "contact.failed": "A contact was not reached and will not be dialled again",
  "contact.callback_scheduled": "A contact is to be called back",
  "phone_number.rested": "A phone number rests automatically",
}

const subjects: Record<string, string> = {
  ...{ call: "CallInEvent", campaign: "CampaignInEvent", contact: "ContactInEvent" },
  phone_number: "PhoneNumberInEvent",
}

const ownSubjects: Partial<Record<EventType, string>> = {
  "call.extracted": "ExtractedCallInEvent",
  "call.opted_out": "OptedOutCallInEvent",
}

const subjectOf = (type: EventType) => ownSubjects[type] ?? subjects[type.split(".", 1)[0] ?? ""]

const header = (name: string, description: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
})

const parameters = [
  header(
    "webhook-id",
    "The event's id, the same in every attempt. Ignore a request whose id you have already processed.",
  ),
  header("webhook-timestamp", "When the request was signed, in seconds since 1970-01-01T00:00:00Z."),
  header(
    "webhook-signature",
    "The signature of Standard Webhooks: `v1,` followed by the HMAC-SHA256 of `id.timestamp.body` in base64. While a secret is being replaced, the header has two signatures, separated by a space.",
  ),
]

const webhookOf = (type: EventType) => ({
  post: {
    tags: ["Webhooks"],
    operationId: `webhook.${type}`,
    summary: summaries[type],
    description:
      "Parley sends this request at least once. Answer with a 2xx within 15 seconds; after any other result Parley sends it again.",
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
                  type: { type: "string", const: type, description: "The type of the event." },
                  data: { $ref: `#/components/schemas/${subjectOf(type)}` },
                },
              },
            ],
          },
        },
      },
    },
    responses: {
      "2XX": { description: "The event was received." },
      default: { description: "Parley sends the request again later." },
    },
  },
})

/** The webhooks of the document, by the event's type. */
export const webhooks = Object.fromEntries(EventType.literals.map((type) => [type, webhookOf(type)]))
