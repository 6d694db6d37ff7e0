/** A contact: one row of a campaign's list, and its result (spec §2; decisions §2, Contact). */
import { Schema } from "effect"
import { CallId, Outcome } from "./Call.ts"
import { TimedWait } from "./DialDecision.ts"
import { DialRefusal } from "./DialRecord.ts"
import { E164 } from "./E164.ts"
import { highestPriority } from "./PriorityCell.ts"
import { CallDisposition } from "./CallDisposition.ts"
import { AttemptReceipt } from "./Receipt.ts"
import { Timestamp, timestamp, UpdatedAt } from "./Timestamp.ts"

export const ContactId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("ContactId"))
export type ContactId = typeof ContactId.Type

export const ContactStatus = Schema.Literals(["pending", "in_progress", "completed", "failed", "skipped"]).annotate({
  description:
    "`pending`: not yet called, or waiting for a retry or a callback. `completed`: a person or an accepted voicemail was reached. `failed`: not reached, and not dialled again.",
})
export type ContactStatus = typeof ContactStatus.Type

export const SkipReason = Schema.Literals([
  "stopped",
  "do_not_call",
  "no_consent",
  "outside_window",
  "rule",
  "erased",
  "withdrawn",
  "final_disposition",
]).annotate({
  description:
    "Why the contact was skipped. `stopped`: the campaign was stopped. `do_not_call`: the number is on the do-not-call list. `no_consent`: the number has no consent as the campaign requires it. `outside_window`: the calling window never opens for the contact. `rule`: a rule of the campaign's packs never permits the call; `decisions` names it. `erased`: the person was erased before the campaign reached them. `withdrawn`: a client withdrew the contact. Null for a contact that was not skipped.",
})
export type SkipReason = typeof SkipReason.Type

export const Contact = Schema.Struct({
  id: ContactId.annotate({ description: "The contact's UUID, assigned by Parley." }),
  external_id: Schema.NullOr(Schema.String).annotate({
    description: "The client's own identifier of the contact, unique within the campaign. Null if it has none.",
  }),
  position: Schema.Int.annotate({
    description: "The contact's position in the file, from 1. Contacts that were added later follow.",
  }),
  phone_number: Schema.NullOr(E164).annotate({
    description:
      "The number that the campaign calls, in E.164 form. Null if the person was erased: the row remains without number and fields, so that the campaign's counts stay right.",
  }),
  additional_numbers: Schema.Array(E164).annotate({
    description:
      "Further numbers of the same person, in the order in which they are called. Each attempt calls the next number that may be called, and none is called while another one is in a call. Empty if the person has one number.",
  }),
  priority: Schema.Int.annotate({
    description: `From 0, the default, to ${highestPriority}: among the contacts that are due, those with a higher priority are dialled first. A callback that is due goes before all of them.`,
  }),
  custom_fields: Schema.Record(Schema.String, Schema.String).annotate({
    description: "The row's other columns. They are variables for the agent's templates.",
  }),
  status: ContactStatus,
  outcome: Schema.NullOr(Outcome).annotate({ description: "The outcome of the last attempt." }),
  attempts: Schema.Int.annotate({ description: "The number of attempts begun." }),
  next_attempt_at: Schema.NullOr(Timestamp).annotate({
    description: "The earliest time of the next attempt. Null if the contact can be dialled as soon as it is its turn.",
  }),
  waiting_for: Schema.NullOr(TimedWait).annotate({
    description:
      "Why the contact is not dialled before `next_attempt_at`: the retry delay is still running, the contact is outside its calling window, a rule of the campaign's packs refuses the call until then (`rule`), the person answered a call too recently (`quiet_period`), the retry waits for another part of the day (`time_of_day`), or the person asked to be called back then (`callback`). Null if the contact only waits for its turn.",
  }),
  callback_at: Schema.NullOr(Timestamp).annotate({
    description:
      "When the person is called back, as the agent or a user of the API arranged it. The contact is dialled then, or as soon after it as its calling window, the do-not-call list and the limits of campaign and account permit. Null if no callback is outstanding.",
  }),
  callbacks: Schema.Int.annotate({
    description:
      "The number of callbacks that were dialled, at most 3. Each permits one attempt in addition to the campaign's own.",
  }),
  last_call_id: Schema.NullOr(CallId).annotate({
    description: "The call of the last attempt. Null if there was none.",
  }),
  skip_reason: Schema.NullOr(SkipReason),
  withdrawn_at: Schema.NullOr(Timestamp).annotate({
    description:
      "When the contact was withdrawn. A call that was in progress then continues, and no attempt follows. Null if it was not withdrawn.",
  }),
  updated_at: UpdatedAt,
}).annotate({ identifier: "Contact" })
export type Contact = typeof Contact.Type

/** One attempt: a call, whose id it has. */
export const Attempt = Schema.Struct({
  id: CallId.annotate({ description: "The same as `call_id`." }),
  number: Schema.Int.annotate({ description: "The number of the attempt, from 1." }),
  to: Schema.NullOr(E164).annotate({ description: "The number that was called. Null if the person was erased." }),
  outcome: Schema.NullOr(Outcome),
  started_at: timestamp("When the attempt began."),
  answered_at: Schema.NullOr(Timestamp).annotate({ description: "When the call was answered. Null if it was not." }),
  ended_at: Schema.NullOr(Timestamp).annotate({ description: "When the call ended. Null while it is in progress." }),
  call_id: CallId.annotate({ description: "The call of this attempt." }),
  disposition: Schema.NullOr(CallDisposition).annotate({ description: "What came of the call. Null if none is set." }),
  decision: Schema.NullOr(Schema.JsonObject).annotate({
    description:
      "Why the dialler placed this attempt at that time: `rule` (`first_attempt`, `retry` or `callback`), `attempt` and `of` (this attempt and the maximum), `number` if the contact has `additional_numbers` (the `position` of the called number and of those `passed_over`), `waited_for`, `time_of_day` with the part of the day that was the best for a retry and the counts that say so, the use of `slots` and `caps`, the `window` with the deciding time zones and their local times, `rules` with the packs and the place of the contact if the campaign has packs, `do_not_call` (false: the number was not on the list), the `agent` with its revision, and `data`, the versions of the time zone and prefix data. With packs, `rules.content` is the digest of their content.",
  }),
  receipt: Schema.NullOr(AttemptReceipt).annotate({
    description: "The decision's place in the account's chain of receipts. Null until it is sealed.",
  }),
}).annotate({ identifier: "Attempt" })
export type Attempt = typeof Attempt.Type

export const ContactDetail = Schema.Struct({
  ...Contact.fields,
  attempt_log: Schema.Array(Attempt).annotate({ description: "The attempts, oldest first." }),
  decisions: Schema.Array(DialRefusal).annotate({
    description:
      "Why the contact was not dialled when it was due, latest first. For why it was dialled, see `attempt_log`.",
  }),
}).annotate({ identifier: "ContactDetail" })
export type ContactDetail = typeof ContactDetail.Type
