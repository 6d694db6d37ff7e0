/**
 * Something that happened in an account, numbered in the order of commits. Webhooks receive events, and clients read
 * them.
 */
import { Schema } from "effect"
import { CallSummary } from "./Call.ts"
import { Campaign, CampaignStatus } from "./Campaign.ts"
import { Contact } from "./Contact.ts"
import { eventTypes } from "./EventTypes.ts"
import { Timestamp } from "./Timestamp.ts"

export const EventType = Schema.Literals(eventTypes).annotate({
  description:
    "`call.started`: the call's row was written, which is the intent to dial, before a word to the carrier; every call has one, and one `call.ended`. `campaign.started`: it runs, for the first time or again after a pause (`previous_status` says which). `campaign.paused`: a user paused it, or the circuit breaker did (`waiting_for` is `carrier`). `campaign.completed`: it has ended; `status` and `end_reason` say how, `failed` included, and calls that a stop lets finish still end after it. `campaign.failed`: it has ended with the status `failed`; sent after the `campaign.completed` of the same end, with the same data. `contact.completed`, `contact.failed`: it will not be dialled again; a skipped contact has no event.",
})
export type EventType = typeof EventType.Type

/** Enough digits for every event of an account, and exact in JSON. */
export const Seq = Schema.Int.annotate({
  description: "From 1, without a gap, in the order of commits: a number is never seen before all below it.",
})

const call = CallSummary.fields

const CallInEvent = Schema.Struct({
  id: call.id,
  direction: call.direction,
  status: call.status,
  outcome: call.outcome,
  end_reason: call.end_reason,
  agent_id: call.agent_id,
  agent_name: call.agent_name,
  agent_version: call.agent_version,
  campaign_id: call.campaign_id,
  contact_id: call.contact_id,
  phone_number_id: call.phone_number_id,
  to: call.to,
  from: call.from,
  started_at: call.started_at,
  answered_at: call.answered_at,
  ended_at: call.ended_at,
  duration_seconds: call.duration_seconds,
  result: call.result,
  cost: call.cost,
}).annotate({ identifier: "CallInEvent", description: "The call as it began or ended, without its transcript." })

const contact = Contact.fields

const ContactInEvent = Schema.Struct({
  id: contact.id,
  campaign_id: Schema.String,
  position: contact.position,
  phone_number: contact.phone_number,
  custom_fields: contact.custom_fields,
  status: contact.status,
  outcome: contact.outcome,
  attempts: contact.attempts,
  last_call_id: contact.last_call_id,
}).annotate({ identifier: "ContactInEvent" })

const campaign = Campaign.fields

const CampaignInEvent = Schema.Struct({
  id: campaign.id,
  name: campaign.name,
  agent_id: campaign.agent_id,
  phone_number_id: campaign.phone_number_id,
  status: campaign.status,
  previous_status: CampaignStatus,
  max_concurrent_calls: campaign.max_concurrent_calls,
  counts: campaign.counts,
  waiting_for: campaign.waiting_for,
  started_at: campaign.started_at,
  ended_at: campaign.ended_at,
  end_reason: campaign.end_reason,
}).annotate({ identifier: "CampaignInEvent", description: "The campaign as it was at the event's commit." })

export const Event = Schema.Struct({
  id: Schema.String.annotate({
    description: "A UUID. It is the header `webhook-id` of every delivery of the event, by which doubles are known.",
  }),
  seq: Seq,
  type: EventType,
  created_at: Timestamp,
  data: Schema.Union([CallInEvent, ContactInEvent, CampaignInEvent]).annotate({
    description: "The call, the contact or the campaign, as `type` says.",
  }),
}).annotate({ identifier: "Event" })
export type Event = typeof Event.Type

/** A page of the event log. */
export const EventPage = Schema.Struct({
  items: Schema.Array(Event),
  next_after: Seq.annotate({ description: "`after` of the next request." }),
  has_more: Schema.Boolean.annotate({ description: "There are later events, though perhaps none of the `type`." }),
}).annotate({ identifier: "EventPage" })

/** A reader asks for events after one that was pruned: it has missed some, and the refusal says so. */
export class EventsPruned extends Schema.TaggedError<EventsPruned>()("EventsPruned", {
  after: Schema.Int,
  oldest_seq: Schema.Int,
}) {
  override get message() {
    return `Events up to ${this.oldest_seq - 1} are not kept any more, so those after ${this.after} are not complete. Go on with after=${this.oldest_seq - 1}, and look up in the resources what became of the rest.`
  }
}
