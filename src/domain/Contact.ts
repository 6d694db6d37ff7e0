/** A contact: one row of a campaign's list, and what became of it (spec §2; decisions §2, Contact). */
import { Schema } from "effect"
import { CallId, Outcome } from "./Call.ts"
import { DialRefusal } from "./DialRecord.ts"
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
  waiting_for: Schema.NullOr(Schema.Literals(["retry_delay", "calling_window"])).annotate({
    description:
      "Why it is not dialled before `next_attempt_at`: the attempt before is too near, or it is outside of its hours. Null: nothing keeps it but its turn.",
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
    description:
      "Why it was dialled then, as everything stood: `rule`, which `attempt` `of` how many, what it had `waited_for`, the `slots` and `caps` and their use, the `window` with the zones that have a say and what their clocks showed, that the number was not on the do-not-call list (`do_not_call`: false), and the `agent` with its revision.",
  }),
}).annotate({ identifier: "Attempt" })
export type Attempt = typeof Attempt.Type

export const ContactDetail = Schema.Struct({
  ...Contact.fields,
  attempt_log: Schema.Array(Attempt),
  decisions: Schema.Array(DialRefusal).annotate({
    description: "Why it was not dialled when its turn had come; the latest first. Why it was: see `attempt_log`.",
  }),
}).annotate({ identifier: "ContactDetail" })
export type ContactDetail = typeof ContactDetail.Type
