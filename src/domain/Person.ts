/** Everything about the person with one number: who called when, and who is going to call. */
import { Schema } from "effect"
import { CallDirection, CallId, Outcome } from "./Call.ts"
import { CampaignId, CampaignStatus } from "./Campaign.ts"
import { Contact } from "./Contact.ts"
import { E164 } from "./E164.ts"
import { Suppression } from "./Suppression.ts"
import { Timestamp, timestamp } from "./Timestamp.ts"

/** The most contacts and calls in one answer. */
export const mostListed = 100

const count = (description: string) => Schema.Int.annotate({ description })
const { attempts, callback_at, id, next_attempt_at, outcome, skip_reason, status, waiting_for } = Contact.fields

export const PersonContact = Schema.Struct({
  id,
  campaign_id: CampaignId.annotate({ description: "The campaign's UUID." }),
  campaign_name: Schema.String.annotate({ description: "The campaign's name." }),
  campaign_status: CampaignStatus,
  status,
  outcome,
  attempts,
  next_attempt_at,
  waiting_for,
  callback_at,
  skip_reason,
  quiet_until: Schema.NullOr(Timestamp).annotate({
    description:
      "Until when the campaign does not call the person, because they answered a call (`quiet_after_answer_seconds`). Null if nothing forbids it, and for a callback.",
  }),
}).annotate({ identifier: "PersonContact" })

export const PersonCall = Schema.Struct({
  id: CallId.annotate({ description: "The call's UUID." }),
  direction: CallDirection,
  campaign_id: Schema.NullOr(CampaignId).annotate({ description: "The campaign. Null for a call of no campaign." }),
  agent_name: Schema.NullOr(Schema.String).annotate({ description: "The agent's name at the time of the call." }),
  outcome: Schema.NullOr(Outcome).annotate({ description: "How the call ended. Null while it is in progress." }),
  started_at: timestamp("When the call was placed or came in."),
  answered_at: Schema.NullOr(Timestamp).annotate({ description: "When it was answered. Null if it was not." }),
  ended_at: Schema.NullOr(Timestamp).annotate({ description: "When it ended. Null while it is in progress." }),
}).annotate({ identifier: "PersonCall" })

export const Person = Schema.Struct({
  phone_number: E164.annotate({ description: "The person's number, in E.164 form." }),
  do_not_call: Schema.Boolean.annotate({
    description:
      "Whether the number is on the do-not-call list for all calls now, also as a digest of an erased person, for which `suppression` is null.",
  }),
  suppression: Schema.NullOr(Suppression).annotate({
    description: "The entry of the do-not-call list for all calls, which may have expired. Null if there is none.",
  }),
  subject_suppressions: Schema.Array(Suppression).annotate({
    description: "The entries of the do-not-call list for one subject each, which may have expired.",
  }),
  live_call_id: Schema.NullOr(CallId).annotate({
    description:
      "The call in progress, to this number or to another number of the same contact. Null if there is none.",
  }),
  calls_today: count("Calls that the account placed to the number today, in the account's time zone."),
  calls_in_7_days: count("Calls that the account placed to the number in the last 7 days."),
  last_answered_at: Schema.NullOr(Timestamp).annotate({
    description: "When the person last answered a call of the account. Null if they never did.",
  }),
  contacts: Schema.Array(PersonContact).annotate({
    description: `The contacts with this number in all campaigns: those that are still called first, then the newest, at most ${mostListed}.`,
  }),
  calls: Schema.Array(PersonCall).annotate({
    description: `The calls to and from this number, the newest first, at most ${mostListed}.`,
  }),
}).annotate({ identifier: "Person" })
export type Person = typeof Person.Type
