/** A contact: one row of a campaign's list, and what became of it (spec §2; decisions §2, Contact). */
import { Schema } from "effect"
import { CallId, Outcome } from "./Call.ts"
import { E164 } from "./E164.ts"
import { Timestamp } from "./Timestamp.ts"

export const ContactId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("ContactId"))
export type ContactId = typeof ContactId.Type

export const ContactStatus = Schema.Literals(["pending", "in_progress", "completed", "failed", "skipped"]).annotate({
  description: "`pending`: not yet called, or waiting for a retry. `completed`: a person or a voicemail was reached.",
})
export type ContactStatus = typeof ContactStatus.Type

export const SkipReason = Schema.Literals(["stopped", "do_not_call", "outside_window"])
export type SkipReason = typeof SkipReason.Type

export const Contact = Schema.Struct({
  id: ContactId,
  position: Schema.Int.annotate({ description: "Its place in the file, from 1." }),
  phone_number: E164,
  custom_fields: Schema.Record(Schema.String, Schema.String).annotate({
    description: "The row's other columns: variables of the agent's templates.",
  }),
  status: ContactStatus,
  outcome: Schema.NullOr(Outcome).annotate({ description: "Of the last attempt." }),
  attempts: Schema.Int,
  next_attempt_at: Schema.NullOr(Timestamp).annotate({
    description: "Not before this; null: as soon as it is its turn.",
  }),
  last_call_id: Schema.NullOr(CallId),
  skip_reason: Schema.NullOr(SkipReason),
  updated_at: Timestamp,
}).annotate({ identifier: "Contact" })
export type Contact = typeof Contact.Type

/** One attempt. Each is a call, and has its id. */
export const Attempt = Schema.Struct({
  id: CallId,
  number: Schema.Int.annotate({ description: "From 1." }),
  outcome: Schema.NullOr(Outcome),
  started_at: Timestamp,
  answered_at: Schema.NullOr(Timestamp),
  ended_at: Schema.NullOr(Timestamp),
  call_id: CallId,
  decision: Schema.NullOr(Schema.JsonObject).annotate({
    description: "Why it was dialled then: the rule, the caps and the window as they stood.",
  }),
}).annotate({ identifier: "Attempt" })
export type Attempt = typeof Attempt.Type

export const ContactDetail = Schema.Struct({ ...Contact.fields, attempt_log: Schema.Array(Attempt) }).annotate({
  identifier: "ContactDetail",
})
export type ContactDetail = typeof ContactDetail.Type
