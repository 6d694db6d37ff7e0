/** One phone call: its states, what it ended with, and everything that was said and done on it (decisions §2, Call). */
import { Schema } from "effect"
import { AgentId } from "./Agent.ts"
import { E164, E164Input } from "./E164.ts"
import { endReasons } from "./EndReasons.ts"
import { PhoneNumberId } from "./PhoneNumber.ts"
import { Timestamp } from "./Timestamp.ts"

export const CallId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("CallId"))
export type CallId = typeof CallId.Type

export const CallDirection = Schema.Literals(["outbound", "inbound", "web"])
export type CallDirection = typeof CallDirection.Type

export const CallStatus = Schema.Literals(["queued", "ringing", "in_progress", "completed", "failed"])
export type CallStatus = typeof CallStatus.Type

/** How the attempt ended. `unknown`: the process died before it knew whether anyone answered. */
export const Outcome = Schema.Literals([
  "answered",
  "voicemail",
  "no_answer",
  "busy",
  "rejected",
  "invalid_number",
  "carrier_error",
  "unknown",
])
export type Outcome = typeof Outcome.Type

/** A person or a machine answered the call. */
export const wasAnswered = (outcome: Outcome): boolean => outcome === "answered" || outcome === "voicemail"

/** `completed` is a call that was answered; every other end is `failed`. */
export const statusOf = (outcome: Outcome): CallStatus => (wasAnswered(outcome) ? "completed" : "failed")

export const EndReason = Schema.Literals(endReasons)
export type EndReason = typeof EndReason.Type

const Milliseconds = Schema.Int.annotate({ description: "Milliseconds of phone time since the call was answered." })

export const TranscriptEntry = Schema.Struct({
  role: Schema.Literals(["agent", "caller", "tool"]),
  text: Schema.String,
  at: Timestamp,
  started_ms: Milliseconds,
  ended_ms: Milliseconds,
  interrupted: Schema.optionalKey(Schema.Boolean).annotate({
    description: "The other side cut it short: `text` is what was heard.",
  }),
  tool_invocation_id: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "TranscriptEntry" })
export type TranscriptEntry = typeof TranscriptEntry.Type

export const ToolFailure = Schema.Struct({ code: Schema.String, message: Schema.String }).annotate({
  identifier: "ToolFailure",
})
export type ToolFailure = typeof ToolFailure.Type

export const ToolInvocation = Schema.Struct({
  id: Schema.String,
  tool_name: Schema.String,
  arguments: Schema.Json,
  result: Schema.optionalKey(Schema.Json),
  error: Schema.optionalKey(ToolFailure),
  started_at: Timestamp,
  duration_ms: Schema.Int,
}).annotate({ identifier: "ToolInvocation", description: "Has `result`, or `error` when the tool failed." })
export type ToolInvocation = typeof ToolInvocation.Type

/** Where the time of one turn went, in milliseconds; null where the turn has no such moment. */
export const Turn = Schema.Struct({
  turn: Schema.Int.annotate({ description: "From 1." }),
  started_by: Schema.Literals(["agent", "caller", "silence", "tool"]).annotate({
    description: "`tool`: a tool gave its result after the agent had been cut short.",
  }),
  caller_ended_ms: Schema.NullOr(Milliseconds).annotate({ description: "When the caller's speech was over." }),
  endpoint_ms: Schema.Int.annotate({ description: "How long the agent waited to be sure of that." }),
  brain_ms: Schema.Int.annotate({
    description: "Thinking, tools included, in real time; without the time that its words waited to be heard.",
  }),
  tools_ms: Schema.Int.annotate({ description: "Of which tools." }),
  first_word_ms: Schema.NullOr(Milliseconds).annotate({ description: "When the agent's first word was heard." }),
  drained_ms: Schema.NullOr(Milliseconds).annotate({ description: "When its last word was heard." }),
  response_ms: Schema.NullOr(Schema.Int).annotate({ description: "From the caller's last word to the agent's first." }),
  interrupted: Schema.Boolean,
  first_text_ms: Schema.optionalKey(Schema.NullOr(Schema.Int)).annotate({
    description: "From the last question to the brain to its first words, in real time.",
  }),
  steps: Schema.optionalKey(Schema.Int).annotate({
    description: "Questions to the brain; one more for each round of tools.",
  }),
  said_chars: Schema.optionalKey(Schema.Int).annotate({ description: "Length of what the agent had to say." }),
  heard_chars: Schema.optionalKey(Schema.Int).annotate({ description: "Length of what was heard of it." }),
  unheard: Schema.optionalKey(Schema.String).annotate({ description: "The rest, which was cut off." }),
  fillers: Schema.optionalKey(Schema.Int).annotate({
    description: "Words said to pass the time while a tool was slow.",
  }),
  model: Schema.optionalKey(Schema.String).annotate({ description: "The language model that answered, if one did." }),
  tokens_in: Schema.optionalKey(Schema.Int),
  tokens_out: Schema.optionalKey(Schema.Int),
}).annotate({ identifier: "Turn" })
export type Turn = typeof Turn.Type

export const Cost = Schema.Struct({
  amount: Schema.Finite,
  currency: Schema.Literal("USD"),
  parts: Schema.Record(Schema.String, Schema.Finite).annotate({ description: "By part: `telephony`, `brain`." }),
}).annotate({ identifier: "Cost" })
export type Cost = typeof Cost.Type

export const noCost: Cost = { amount: 0, currency: "USD", parts: {} }

const summary = {
  id: CallId,
  direction: CallDirection,
  status: CallStatus,
  outcome: Schema.NullOr(Outcome),
  end_reason: Schema.NullOr(EndReason),
  agent_id: AgentId,
  agent_name: Schema.String.annotate({ description: "As it was when the call began." }),
  agent_version: Schema.NullOr(Schema.Int).annotate({
    description: "The version of the agent that held it. Null: of a call that is older than versions are.",
  }),
  campaign_id: Schema.NullOr(Schema.String),
  contact_id: Schema.NullOr(Schema.String),
  phone_number_id: Schema.NullOr(PhoneNumberId),
  to: Schema.NullOr(E164),
  from: Schema.NullOr(E164),
  started_at: Timestamp,
  answered_at: Schema.NullOr(Timestamp),
  ended_at: Schema.NullOr(Timestamp),
  duration_seconds: Schema.NullOr(Schema.Finite).annotate({ description: "From answer to end; null until then." }),
  result: Schema.NullOr(Schema.JsonObject).annotate({
    description: "What `record_outcome` and `schedule_callback` noted.",
  }),
  cost: Cost,
  recording: Schema.NullOr(Schema.String).annotate({ description: "Path of the recording; null when there is none." }),
}

/** A call as lists show it: without its transcript, tool invocations and turns. */
export const CallSummary = Schema.Struct(summary).annotate({ identifier: "CallSummary" })
export type CallSummary = typeof CallSummary.Type

export const Call = Schema.Struct({
  ...summary,
  transcript: Schema.Array(TranscriptEntry),
  tool_invocations: Schema.Array(ToolInvocation),
  turns: Schema.Array(Turn),
}).annotate({ identifier: "Call" })
export type Call = typeof Call.Type

/** Variables of the templates. Their size is bounded, since every template of the call reads them. */
export const CallVariables = Schema.JsonObject.annotate({
  description: "Variables of the agent's prompts and first_message, as a contact's custom_fields are.",
})

/** One outbound call that a client asks for directly. */
export const NewCall = Schema.Struct({
  agent_id: AgentId,
  phone_number_id: PhoneNumberId,
  to: E164Input.annotate({ description: "The number to call, E.164." }),
  variables: Schema.optionalKey(CallVariables),
}).annotate({ identifier: "NewCall" })
export type NewCall = typeof NewCall.Type

/** The number is on the account's do-not-call list. */
export class DoNotCall extends Schema.TaggedError<DoNotCall>()("DoNotCall", { phone_number: Schema.String }) {
  override get message() {
    return `${this.phone_number} is on this account's do-not-call list`
  }
}

/**
 * Tells one reading of a call from another: a call changes with its status and with each utterance, and never after its
 * end.
 */
export const revisionOf = ({ status, tool_invocations, transcript, turns }: Call): number =>
  CallStatus.literals.length * (transcript.length + tool_invocations.length + turns.length) +
  CallStatus.literals.indexOf(status)

/** Fields that a client may send back and cannot set. */
export const callReadOnly = Object.keys(Call.fields).filter((name) => !Object.hasOwn(NewCall.fields, name))
