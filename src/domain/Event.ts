/**
 * Something that happened in an account, numbered in the order of commits. Webhooks receive events, and clients read
 * them.
 */
import { Schema } from "effect"
import { CallSummary } from "./Call.ts"
import { CallOptOut } from "./CallOptOut.ts"
import { CostSum } from "./CostSum.ts"
import { Campaign, CampaignStatus } from "./Campaign.ts"
import { Contact } from "./Contact.ts"
import { eventTypes } from "./EventTypes.ts"
import { extractionFields } from "./Extraction.ts"
import { Answers } from "./NumberRest.ts"
import { PhoneNumber } from "./PhoneNumber.ts"
import { CreatedAt, timestamp } from "./Timestamp.ts"

export const EventType = Schema.Literals(eventTypes).annotate({
  description:
    "`call.started`: the call was stored, before the carrier was asked to dial; every call has exactly one, and one `call.ended`. `call.extracted`: the fields of the agent's `outcome_schema` were read from the transcript of an ended call, or that failed (`extraction` says which); only calls with an `extraction` have it, and exactly one. `call.opted_out`: the other party asked in this call not to be called again (`opt_out` says how); sent once for each such call when it has ended, after its `call.ended`. Numbers that you add to the do-not-call list yourself have no event. `call.disposition_set`: a person or an API key set the call's `disposition`; one that the agent set is in `call.ended`, and one that was read from the transcript in `call.extracted`. `campaign.started`: the campaign started or resumed (`previous_status` says which). `campaign.paused`: a user or the circuit breaker (`waiting_for` is `carrier`) paused it. `campaign.completed`: it ended, with `status` and `end_reason`, also if it failed; after a stop, calls in progress may still end later. `campaign.failed`: it ended with the status `failed`; sent after `campaign.completed`, with the same data. `contact.completed`, `contact.failed`: the contact will not be dialled again; a skipped contact has no event. `contact.callback_scheduled`: the person is to be called back at `callback_at`; sent when the call in which they asked has ended, and again when the time is changed. `phone_number.rested`: a number rests automatically, because far fewer of its calls were answered than of the calls from the other numbers of a campaign.",
})
export type EventType = typeof EventType.Type

/** An integer has enough digits for every event of an account, and is exact in JSON. */
export const Seq = Schema.Int.annotate({
  description:
    "The number of the event, from 1. Numbers are given without a gap in the order of commits: no event becomes visible before all events with lower numbers. A number is missing later if its event was deleted with its call.",
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
  disposition: call.disposition,
  cost: call.cost,
}).annotate({ identifier: "CallInEvent", description: "The call when it began or ended, without its transcript." })

const ExtractedCallInEvent = Schema.Struct({ ...CallInEvent.fields, ...extractionFields }).annotate({
  identifier: "ExtractedCallInEvent",
  description: "The call after the extraction of its result, which `result` and `result_fields` show.",
})

const OptedOutCallInEvent = Schema.Struct({
  ...CallInEvent.fields,
  opt_out: CallOptOut.annotate({ description: "How and when it did." }),
}).annotate({
  identifier: "OptedOutCallInEvent",
  description: "The call in which the other party asked not to be called again, and how it did.",
})

const contact = Contact.fields

const ContactInEvent = Schema.Struct({
  id: contact.id,
  campaign_id: Schema.String.annotate({ description: "The campaign that the contact belongs to." }),
  position: contact.position,
  phone_number: contact.phone_number,
  custom_fields: contact.custom_fields,
  status: contact.status,
  outcome: contact.outcome,
  attempts: contact.attempts,
  last_call_id: contact.last_call_id,
  callback_at: contact.callback_at,
}).annotate({ identifier: "ContactInEvent", description: "The contact at the time of the event." })

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
  cost: Schema.optionalKey(CostSum).annotate({
    description: "What the campaign's calls have cost so far. Absent in events from before Parley sent it.",
  }),
  waiting_for: campaign.waiting_for,
  started_at: campaign.started_at,
  ended_at: campaign.ended_at,
  end_reason: campaign.end_reason,
}).annotate({ identifier: "CampaignInEvent", description: "The campaign at the time of the event." })

const PhoneNumberInEvent = Schema.Struct({
  id: PhoneNumber.fields.id,
  number: PhoneNumber.fields.number,
  since: timestamp("When the rest began."),
  until: timestamp("When the rest ends, unless a user ends it earlier."),
  detail: Schema.String.annotate({ description: "What was measured, as a sentence for people." }),
  campaign_id: Schema.String.annotate({ description: "The campaign whose calls were compared." }),
  own: Answers.annotate({ description: "The calls from this number in the last 7 days." }),
  others: Answers.annotate({ description: "The calls from the campaign's other numbers in the last 7 days." }),
}).annotate({ identifier: "PhoneNumberInEvent", description: "The number when its rest began." })

export const Event = Schema.Struct({
  id: Schema.String.annotate({
    description:
      "A UUID. Every delivery of the event carries it in the header `webhook-id`, so that you can recognise duplicates.",
  }),
  seq: Seq,
  type: EventType,
  created_at: CreatedAt,
  // Calls with more fields come first, because they have all fields of the one without.
  data: Schema.Union([
    ExtractedCallInEvent,
    OptedOutCallInEvent,
    CallInEvent,
    ContactInEvent,
    CampaignInEvent,
    PhoneNumberInEvent,
  ]).annotate({
    description: "The call, contact, campaign or phone number that `type` is about.",
  }),
}).annotate({ identifier: "Event" })
export type Event = typeof Event.Type

/** A page of the event log. */
export const EventPage = Schema.Struct({
  items: Schema.Array(Event).annotate({ description: "The events, oldest first." }),
  next_after: Seq.annotate({ description: "The value of `after` for the next request." }),
  has_more: Schema.Boolean.annotate({
    description: "True if there are later events, although perhaps none of the requested `type`.",
  }),
}).annotate({ identifier: "EventPage" })

/** A reader asked for the events after one that was pruned, so it has missed some. */
export class EventsPruned extends Schema.TaggedError<EventsPruned>()("EventsPruned", {
  after: Schema.Int.annotate({ description: "The `after` of the request." }),
  oldest_seq: Schema.Int.annotate({ description: "The number of the oldest event that is kept." }),
}) {
  override get message() {
    return `Events up to ${this.oldest_seq - 1} are no longer kept, so the events after ${this.after} are incomplete. Continue with after=${this.oldest_seq - 1}, and read the present state from the resources themselves.`
  }
}
