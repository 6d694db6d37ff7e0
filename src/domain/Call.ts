/** One phone call: its states, how it ended, and everything that was said and done on it (decisions §2, Call). */
import { Schema } from "effect"
import { AgentId } from "./Agent.ts"
import { E164, e164Input } from "./E164.ts"
import { AnsweredBy } from "./AnsweredBy.ts"
import { VersionAuthor } from "./AgentVersion.ts"
import { CallDisposition } from "./CallDisposition.ts"
import { CallListener } from "./CallListener.ts"
import { CallNote } from "./CallNote.ts"
import { CallOptOut } from "./CallOptOut.ts"
import { askedFields, permittedFields } from "./DirectCallFields.ts"
import { Disclosure } from "./Disclosure.ts"
import { endReasons } from "./EndReasons.ts"
import { extractionFields } from "./Extraction.ts"
import { outcomes } from "./Outcomes.ts"
import { PhoneNumberId } from "./PhoneNumber.ts"
import { RecordingPause, RecordingState } from "./Recording.ts"
import { CallTakeover } from "./Takeover.ts"
import { SoundFigures } from "./SoundFigures.ts"
import { Timestamp, timestamp } from "./Timestamp.ts"
import { TurnTimings } from "./TurnTimings.ts"

export const CallId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("CallId"))
export type CallId = typeof CallId.Type

export const CallDirection = Schema.Literals(["outbound", "inbound", "web"]).annotate({
  description:
    "`outbound`: Parley placed the call. `inbound`: Parley received it. `web`: a conversation with a visitor of a web page.",
})
export type CallDirection = typeof CallDirection.Type

/** The telephone number of the other side. Null for a hidden number, and for a visitor of a page. */
export const otherNumberOf = (call: {
  readonly direction: CallDirection
  readonly to_number: string | null
  readonly from_number: string | null
}): string | null => (call.direction === "inbound" ? call.from_number : call.to_number)

export const CallStatus = Schema.Literals(["queued", "ringing", "in_progress", "completed", "failed"]).annotate({
  description:
    "`queued`: stored, and not yet ringing. `in_progress`: answered. `completed`: ended after a person or a voicemail answered. `failed`: ended without an answer.",
})
export type CallStatus = typeof CallStatus.Type

/** How the call ended. `unknown`: the process died before it knew whether the call was answered. */
export const Outcome = Schema.Literals(outcomes).annotate({
  description:
    "How the call ended. `rejected`: a person declined it. `invalid_number`: the number does not exist. `carrier_error`: the carrier failed. `unknown`: the process died before it knew the result; the phone may have rung.",
})
export type Outcome = typeof Outcome.Type

/** Whether a person or a machine answered the call. */
export const wasAnswered = (outcome: Outcome): boolean => outcome === "answered" || outcome === "voicemail"

/** `completed` is a call that was answered; every other end is `failed`. */
export const statusOf = (outcome: Outcome): CallStatus => (wasAnswered(outcome) ? "completed" : "failed")

export const EndReason = Schema.Literals(endReasons).annotate({
  description:
    "Why the call ended, in more detail than `outcome`. `hung_up`: a client ended it with `POST …/hangup`. `opted_out`: the called person wants no further call. `line_lost`: the connection broke. `agent_error`: the agent or its model failed. `not_taken`: the person to whom a call was to be handed over did not take it. `interrupted`: the process that conducted the call stopped.",
})
export type EndReason = typeof EndReason.Type

const Milliseconds = Schema.Int.annotate({ description: "Milliseconds of phone time since the call was answered." })

export const TranscriptEntry = Schema.Struct({
  role: Schema.Literals(["agent", "caller", "person", "tool", "whisper"]).annotate({
    description:
      "Who spoke: the agent or the other party. `person`: a person who talked with the other party in the agent's place, after a take-over or a warm transfer. `tool`: the agent invoked a tool. `whisper`: a supervisor told the agent something, which the other party neither hears nor sees.",
  }),
  text: Schema.String.annotate({ description: "What was said. For `tool`, the result of the tool as JSON." }),
  at: timestamp("When the utterance began."),
  started_ms: Milliseconds,
  ended_ms: Milliseconds,
  interrupted: Schema.optionalKey(Schema.Boolean).annotate({
    description: "The other party interrupted the speaker: `text` is the part that was heard.",
  }),
  tool_invocation_id: Schema.optionalKey(Schema.String).annotate({
    description: "The `id` in `tool_invocations`. Present only for `tool`.",
  }),
  tool_name: Schema.optionalKey(Schema.String).annotate({
    description: "The name of the tool. Present only for `tool`; calls of older versions of Parley do not have it.",
  }),
  by: Schema.optionalKey(VersionAuthor).annotate({
    description: "Who whispered, or took the call over. Absent for other entries.",
  }),
}).annotate({ identifier: "TranscriptEntry" })
export type TranscriptEntry = typeof TranscriptEntry.Type

/** Replaces what was said while the recording was paused, such as a card number. */
export const notKept = "[not kept: the recording was paused]"

export const ToolFailure = Schema.Struct({
  code: Schema.String.annotate({ description: "The stable name of the failure, such as `timeout`." }),
  message: Schema.String.annotate({ description: "What went wrong, as a sentence. The language model sees it." }),
}).annotate({ identifier: "ToolFailure", description: "Why a tool failed." })
export type ToolFailure = typeof ToolFailure.Type

export const ToolInvocation = Schema.Struct({
  id: Schema.String.annotate({ description: "Identifies the invocation within the call." }),
  tool_name: Schema.String.annotate({ description: "The name of the tool." }),
  arguments: Schema.Json.annotate({ description: "The arguments, as the language model sent them." }),
  result: Schema.optionalKey(Schema.Json).annotate({ description: "What the tool returned. Absent if it failed." }),
  error: Schema.optionalKey(ToolFailure),
  started_at: timestamp("When the tool was invoked."),
  duration_ms: Schema.Int.annotate({ description: "How long the tool took, in milliseconds of real time." }),
}).annotate({ identifier: "ToolInvocation", description: "Contains `result`, or `error` if the tool failed." })
export type ToolInvocation = typeof ToolInvocation.Type

/** How the time of one turn was spent, in milliseconds. A moment that the turn did not have is null. */
export const Turn = Schema.Struct({
  turn: Schema.Int.annotate({ description: "The number of the turn, from 1." }),
  started_by: Schema.Literals(["agent", "caller", "silence", "tool"]).annotate({
    description: "What made the agent speak. `tool`: a tool returned its result after the agent had been interrupted.",
  }),
  caller_ended_ms: Schema.NullOr(Milliseconds).annotate({
    description:
      "When the caller stopped speaking, in milliseconds of phone time since the call was answered. Null unless `started_by` is `caller`.",
  }),
  endpoint_ms: Schema.Int.annotate({
    description: "How many milliseconds the agent waited to be sure that the caller had finished.",
  }),
  brain_ms: Schema.Int.annotate({
    description:
      "Milliseconds of real time that the brain and its tools took. Does not include time that the words waited to be heard.",
  }),
  tools_ms: Schema.Int.annotate({ description: "The part of `brain_ms` that tools took." }),
  first_word_ms: Schema.NullOr(Milliseconds).annotate({
    description: "When the agent's first word was heard, in milliseconds of phone time since the call was answered.",
  }),
  drained_ms: Schema.NullOr(Milliseconds).annotate({
    description:
      "When the agent's last word was heard, in milliseconds of phone time since the call was answered. Null if the agent was interrupted.",
  }),
  response_ms: Schema.NullOr(Schema.Int).annotate({
    description: "Milliseconds from the caller's last word to the agent's first.",
  }),
  interrupted: Schema.Boolean.annotate({ description: "Whether the caller interrupted the agent in this turn." }),
  first_text_ms: Schema.optionalKey(Schema.NullOr(Schema.Int)).annotate({
    description: "Milliseconds of real time from the last request to the brain to its first words.",
  }),
  steps: Schema.optionalKey(Schema.Int).annotate({
    description: "The number of requests to the brain. Each round of tools adds one.",
  }),
  said_chars: Schema.optionalKey(Schema.Int).annotate({
    description: "The length of what the agent had to say, in characters.",
  }),
  heard_chars: Schema.optionalKey(Schema.Int).annotate({
    description: "The length of the part that was heard, in characters.",
  }),
  unheard: Schema.optionalKey(Schema.String).annotate({ description: "The part that was cut off." }),
  fillers: Schema.optionalKey(Schema.Int).annotate({
    description: "The number of filler phrases that the agent said while a tool was slow.",
  }),
  model: Schema.optionalKey(Schema.String).annotate({
    description: "The language model that answered. Absent if none did.",
  }),
  tokens_in: Schema.optionalKey(Schema.Int).annotate({
    description: "The tokens that the language model read in this turn. Absent if none answered.",
  }),
  tokens_out: Schema.optionalKey(Schema.Int).annotate({
    description: "The tokens that the language model wrote in this turn. Absent if none answered.",
  }),
  timings: Schema.optionalKey(TurnTimings).annotate({
    description:
      "Where the time before the answer went. Absent on lines that do not carry the agent's sound themselves.",
  }),
}).annotate({ identifier: "Turn" })
export type Turn = typeof Turn.Type

/** `telephony`: the carrier. `brain`: language models. The others: speech that Parley has recognised and spoken. */
export const CostPart = Schema.Literals(["telephony", "brain", "recogniser", "voice"])
export type CostPart = typeof CostPart.Type

export const Cost = Schema.Struct({
  amount: Schema.Finite.annotate({ description: "The sum of `parts`, in `currency`." }),
  currency: Schema.Literal("USD").annotate({ description: "Always US dollars." }),
  parts: Schema.Record(Schema.String, Schema.Finite).annotate({
    description:
      "The amount by part: `telephony` (the carrier), `brain` (language models), `recogniser` and `voice` (speech).",
  }),
  not_priced: Schema.optionalKey(Schema.Array(CostPart)).annotate({
    description:
      "Parts of this call that have no price, so that `amount` lacks them. Absent if all have one, and if the installation has no price list.",
  }),
}).annotate({ identifier: "Cost", description: "What the call cost so far." })
export type Cost = typeof Cost.Type

export const noCost: Cost = { amount: 0, currency: "USD", parts: {} }

const summary = {
  id: CallId.annotate({ description: "The call's UUID, assigned by Parley." }),
  direction: CallDirection,
  status: CallStatus,
  outcome: Schema.NullOr(Outcome),
  end_reason: Schema.NullOr(EndReason),
  agent_id: AgentId.annotate({ description: "The agent that takes part in the call." }),
  agent_name: Schema.String.annotate({ description: "The agent's name when the call began." }),
  agent_version: Schema.NullOr(Schema.Int).annotate({
    description: "The version of the agent that took part. Null for calls from before agents had versions.",
  }),
  campaign_id: Schema.NullOr(Schema.String).annotate({
    description: "The campaign that placed the call. Null for any other call.",
  }),
  contact_id: Schema.NullOr(Schema.String).annotate({
    description: "The contact that the campaign called. Null for any other call.",
  }),
  phone_number_id: Schema.NullOr(PhoneNumberId).annotate({
    description: "The account's phone number on this call. Null for a conversation on a web page.",
  }),
  to: Schema.NullOr(E164).annotate({ description: "The called number. Null for a conversation on a web page." }),
  from: Schema.NullOr(E164).annotate({ description: "The calling number. Null for a conversation on a web page." }),
  started_at: timestamp("When the call was stored; an outbound call is dialled after that."),
  answered_at: Schema.NullOr(Timestamp).annotate({ description: "Null until the other party answers." }),
  ended_at: Schema.NullOr(Timestamp).annotate({ description: "Null until the call has ended." }),
  duration_seconds: Schema.NullOr(Schema.Finite).annotate({
    description: "Seconds from answer to end. Null until the call has ended, and if it was not answered.",
  }),
  result: Schema.NullOr(Schema.JsonObject).annotate({
    description:
      "What `record_outcome` and `schedule_callback` recorded. If `record_outcome` recorded nothing, the fields of the agent's `outcome_schema` are read from the transcript after the call.",
  }),
  disposition: Schema.NullOr(CallDisposition).annotate({
    description: "What came of the call: one of its agent's `dispositions`. Null if none is set.",
  }),
  cost: Cost,
  recording: Schema.NullOr(Schema.String).annotate({
    description: "The path of the recording. Null if there is none.",
  }),
}

/** A call as lists show it: without its transcript, tool invocations and turns. */
export const CallSummary = Schema.Struct(summary).annotate({ identifier: "CallSummary" })
export type CallSummary = typeof CallSummary.Type

export const CallTransfer = Schema.Struct({
  call_id: Schema.String.annotate({ description: "The call to that person, with its own slot and cost." }),
  to: Schema.NullOr(E164).annotate({ description: "The number that was called." }),
  started_at: timestamp("When it was called."),
  ended_at: Schema.NullOr(Timestamp).annotate({ description: "Null until that call has ended." }),
  outcome: Schema.NullOr(Outcome),
  end_reason: Schema.NullOr(EndReason).annotate({
    description: "`transferred` if the person took the call, `not_taken` if they answered and did not.",
  }),
}).annotate({
  identifier: "CallTransfer",
  description: "An attempt to hand the call over to a person who may take it (`transfer_call` with `mode` `warm`).",
})
export type CallTransfer = typeof CallTransfer.Type

export const Call = Schema.Struct({
  ...summary,
  ...extractionFields,
  transcript: Schema.Array(TranscriptEntry).annotate({
    description: "What was said, in the order in which it was heard.",
  }),
  tool_invocations: Schema.Array(ToolInvocation).annotate({ description: "The tools that the agent invoked." }),
  turns: Schema.Array(Turn).annotate({ description: "The agent's turns, with their timings." }),
  recording_state: Schema.NullOr(RecordingState).annotate({
    description: "`recording` or `paused` while the call is in progress, then `complete`. Null if it is not recorded.",
  }),
  recording_pauses: Schema.Array(RecordingPause).annotate({
    description: "The stretches that the recording leaves out, in their order.",
  }),
  transfer_of: Schema.NullOr(Schema.String).annotate({
    description: "The call for which this one was placed, to hand it over to a person. Null for any other call.",
  }),
  transfers: Schema.Array(CallTransfer).annotate({
    description: "The warm transfers of the call, in the order in which they began.",
  }),
  listeners: Schema.Array(CallListener).annotate({
    description: "The members and API keys that listened to the call while it was in progress.",
  }),
  takeovers: Schema.Array(CallTakeover).annotate({
    description: "The members and API keys that talked with the other party in the agent's place.",
  }),
  notes: Schema.Array(CallNote).annotate({ description: "What people wrote about the call, oldest first." }),
  answered_by: Schema.NullOr(AnsweredBy).annotate({
    description:
      "Who or what took the call, and what shows it. Null until the call is answered, unless the network said before why it cannot be, and where Parley did not place the call.",
  }),
  disclosure: Schema.NullOr(Disclosure).annotate({
    description:
      "How much of the agent's `disclosure` the other party heard. Null if the agent has none, and until the call is answered.",
  }),
  opt_out: Schema.NullOr(CallOptOut).annotate({
    description: "How and when the other party asked not to be called again. Null if it did not.",
  }),
  sound: Schema.NullOr(SoundFigures).annotate({
    description:
      "How good the sound was. Null until the call has ended, and on lines whose packets Parley does not carry: the lab, pages, and Twilio's own voice.",
  }),
  ...permittedFields,
  first_word_ms: Schema.NullOr(Schema.Int).annotate({
    description:
      "Milliseconds of phone time from the answer until the agent's first word was heard. Null if it has not spoken.",
  }),
}).annotate({ identifier: "Call" })
export type Call = typeof Call.Type

/** Variables of the templates. Their size is bounded, since every template of the call reads them. */
export const CallVariables = Schema.JsonObject.annotate({
  description: "Variables for the agent's templates, like a contact's custom_fields.",
})

/** One outbound call that a client asks for directly. */
export const NewCall = Schema.Struct({
  agent_id: AgentId.annotate({ description: "The agent that places the call." }),
  phone_number_id: PhoneNumberId.annotate({ description: "The account's phone number to call from." }),
  to: e164Input("The number to call."),
  variables: Schema.optionalKey(CallVariables),
  ...askedFields,
}).annotate({ identifier: "NewCall" })
export type NewCall = typeof NewCall.Type

/** The number is on the account's do-not-call list. */
export class DoNotCall extends Schema.TaggedError<DoNotCall>()("DoNotCall", {
  phone_number: Schema.String.annotate({ description: "The number that is on the list, in E.164 form." }),
}) {
  override get message() {
    return `${this.phone_number} is on this account's do-not-call list`
  }
}

/** Fields that a client may send back and cannot set. */
export const callReadOnly = Object.keys(Call.fields).filter((name) => !Object.hasOwn(NewCall.fields, name))
