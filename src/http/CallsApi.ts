/** The documented endpoints of calls (decisions §1, §2 and §5). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  Call,
  CallDirection,
  callReadOnly,
  CallStatus,
  CallSummary,
  DoNotCall,
  NewCall as NewCallFields,
  Outcome,
} from "../domain/Call.ts"
import { TakeoverTicket } from "../domain/Takeover.ts"
import { NoConsent, RefusedByRule } from "../domain/CallNotPermitted.ts"
import { CallElsewhere } from "../domain/CallListener.ts"
import { NewDisposition as NewDispositionFields } from "../domain/CallDisposition.ts"
import { CallNote, NewCallNote as NewCallNoteFields } from "../domain/CallNote.ts"
import { CapReached } from "../domain/Cap.ts"
import { SpendCapReached } from "../domain/DailySpend.ts"
import { DispositionKey } from "../domain/Disposition.ts"
import { NumberDayReached, NumberPaceReached } from "../domain/NumberPace.ts"
import { Page, pageQuery, Search } from "../domain/Page.ts"
import { RecordingElsewhere, RecordingUnavailable } from "../domain/Recording.ts"
import { TimestampInput } from "../domain/Timestamp.ts"
import { NewWhisper as NewWhisperFields, WhisperLimited } from "../domain/Whisper.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import { Needs } from "./edge/Authentication.ts"
import { tooManyStreams } from "./edge/OpenStreams.ts"
import { asProblem } from "./edge/Problem.ts"
import { rangeNotSatisfiable } from "./edge/Range.ts"
import * as Problems from "./edge/Problems.ts"
import { Placed, Tagged, writable } from "./edge/Resource.ts"

const doNotCall = DoNotCall.pipe(
  asProblem({ status: 409, code: "do_not_call", title: "The number is on the do-not-call list" }),
)
const noConsent = NoConsent.pipe(
  asProblem({ status: 409, code: "no_consent", title: "The number has no consent as it is required" }),
)
const refusedByRule = RefusedByRule.pipe(asProblem({ status: 409, code: "rule", title: "A rule forbids the call" }))
/** Its `code` is the cap's own: `concurrent_cap`, `per_minute_cap` or `daily_cap`. */
const capReached = CapReached.pipe(asProblem({ status: 429, code: "cost_cap", title: "Cost cap reached" }))
const spendCapReached = SpendCapReached.pipe(
  asProblem({ status: 429, code: "spend_cap", title: "Cap on spending reached" }),
)
/** Calls from one number are spaced. Too many already wait, so this one would wait too long. */
const numberPaceReached = NumberPaceReached.pipe(
  asProblem({ status: 429, code: "rate_limited", title: "Call rate of the phone number reached" }),
)
const numberDayReached = NumberDayReached.pipe(
  asProblem({ status: 429, code: "number_daily_cap", title: "Calls of the phone number for today used up" }),
)
const recordingElsewhere = RecordingElsewhere.pipe(
  asProblem({ status: 409, code: "recording_elsewhere", title: "The recording is on another machine" }),
)
const recordingUnavailable = RecordingUnavailable.pipe(
  asProblem({ status: 503, code: "recording_unavailable", title: "The object store is not reachable" }),
)

const callElsewhere = CallElsewhere.pipe(
  asProblem({ status: 409, code: "call_elsewhere", title: "The process that conducts the call cannot be reached" }),
)

const whisperLimited = WhisperLimited.pipe(
  asProblem({ status: 429, code: "rate_limited", title: "Too many instructions" }),
)
const NewWhisper = NewWhisperFields.annotate({
  examples: [{ text: "Offer her the appointment on Friday instead." }] as never,
})

const NewDisposition = writable(NewDispositionFields.fields, ["label", "final", "source", "by", "at"]).annotate({
  identifier: "NewDisposition",
  examples: [{ key: "interested" }] as never,
})

const NewCallNote = writable(NewCallNoteFields.fields, ["id", "by", "created_at"]).annotate({
  identifier: "NewCallNote",
  examples: [{ text: "She asked for a letter instead. Sent on Monday." }] as never,
})

const NewCall = writable(NewCallFields.fields, callReadOnly).annotate({
  identifier: "NewCall",
  examples: [
    {
      agent_id: "019aa3f2-7c1e-7a42-9d3b-5f0c1e2d3a4b",
      phone_number_id: "019aa3f2-8d2f-7b53-8e4c-6a1d2f3e4b5c",
      to: "+14155550132",
      variables: { first_name: "Ada" },
    },
  ] as never,
})

const Uuid = Schema.String.check(Schema.isUUID())
const byId = { id: Schema.String.annotate({ description: "The call's UUID." }) }
const operated = { params: byId, success: Call, error: [Problems.notFound, Problems.invalidState] }

/** Which calls are listed, or exported. */
const callConditions = {
  campaign_id: Schema.optionalKey(Uuid),
  agent_id: Schema.optionalKey(Uuid),
  status: Schema.optionalKey(CallStatus),
  outcome: Schema.optionalKey(Outcome),
  direction: Schema.optionalKey(CallDirection),
  disposition: Schema.optionalKey(DispositionKey),
  from: Schema.optionalKey(TimestampInput),
  to: Schema.optionalKey(TimestampInput),
  search: Schema.optionalKey(Search),
}

export class CallsApi extends HttpApiGroup.make("calls")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/calls", {
      query: { ...pageQuery(), ...callConditions },
      success: Page(CallSummary),
    })
      .annotate(OpenApi.Summary, "List calls")
      .annotate(
        OpenApi.Description,
        "Returns calls, newest first. `search` matches the other party's number, however it is written (`+1 212 357 8200`), or words. Each word must occur in the number, the contact's fields, the variables or the transcript. Items have all fields of a call except `transcript`, `tool_invocations` and `turns`.",
      ),
    HttpApiEndpoint.get("export", "/api/v1/calls.csv", {
      query: callConditions,
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/csv; charset=utf-8" }),
    })
      .annotate(OpenApi.Summary, "Export calls")
      .annotate(
        OpenApi.Description,
        "Returns CSV, newest first, of all calls or of those that the list finds by the same filters: what the list shows of each, with `result` as JSON. Calls that begin meanwhile are left out. Formulas are neutralised as in results.csv.",
      ),
    HttpApiEndpoint.post("place", "/api/v1/calls", {
      payload: NewCall,
      success: Placed(Call),
      error: [
        Problems.unknownReference,
        Problems.invalidState,
        doNotCall,
        noConsent,
        refusedByRule,
        capReached,
        spendCapReached,
        numberPaceReached,
        numberDayReached,
      ],
    })
      .annotate(Needs, "dial")
      .annotate(OpenApi.Summary, "Place an outbound call")
      .annotate(
        OpenApi.Description,
        "Answers as soon as the call is stored; poll it for its progress. `status` goes from `queued` through `ringing` and `in_progress` to `completed` (a person or a voicemail answered) or `failed`. Over a cost cap, the request fails with 429 and the `code` `concurrent_cap`, `per_minute_cap` or `daily_cap`. If the phone number limits its rate (`carrier_config.calls_per_second`), the answer waits until the call may begin; if that would take more than 5 s, the request fails with 429 `rate_limited`. A number on the do-not-call list fails with 409 `do_not_call`. With `rule_packs`, `subject` and `required_consent` the call is judged as a contact of a campaign is: 409 `rule` if a rule forbids it now or for good, 409 `no_consent` without the consent. A call that passes shows the `decision`, which gets a `receipt`. A number that is already in a call of this account fails with 409 `invalid_state`, and so does a phone number that cannot dial (a `sip` number without a server or PARLEY_SIP_PORT, or a `twilio` or `telnyx` number without credentials or PARLEY_PUBLIC_URL).",
      ),
    HttpApiEndpoint.get("get", "/api/v1/calls/:id", { params: byId, success: Tagged(Call), error: Problems.notFound })
      .annotate(OpenApi.Summary, "Get a call")
      .annotate(
        OpenApi.Description,
        "Returns the call with its transcript, the timings of each turn, tool invocations, outcome, result and cost by part. These fields are complete once the call has ended, but `result` and `cost` may change once more while `extraction` is `pending`. `started_ms` and `ended_ms` are phone time since the call was answered, which `LAB_SPEED` scales in the lab; `at` and `duration_seconds` are real time.",
      ),
    HttpApiEndpoint.delete("remove", "/api/v1/calls/:id", {
      params: byId,
      success: HttpApiSchema.NoContent,
      error: [Problems.notFound, Problems.invalidState],
    })
      .annotate(OpenApi.Summary, "Delete a call")
      .annotate(
        OpenApi.Description,
        "Deletes a call that has ended, with its transcript, recording, tool invocations and events, and the calls that were placed to hand it over. It cannot be undone. The counts and cost of its campaign stay as they are, and so does its contact, which no longer names the call. A call in progress is a 409 `invalid_state`.",
      ),
    HttpApiEndpoint.post("hangUp", "/api/v1/calls/:id/hangup", operated)
      .annotate(OpenApi.Summary, "Hang up a call")
      .annotate(
        OpenApi.Description,
        "Ends the call and returns it with the `end_reason` `hung_up`. `status` is `completed` if the call had been answered, otherwise `failed` with the outcome `no_answer`. A call that has already ended is a 409.",
      ),
    HttpApiEndpoint.post("pauseRecording", "/api/v1/calls/:id/recording/pause", operated)
      .annotate(OpenApi.Summary, "Pause the recording of a call")
      .annotate(
        OpenApi.Description,
        "Records silence on both sides until the recording is resumed, for example while a card number is said. The agent still hears it, but the transcript keeps neither words nor the arguments and results of tools from this time: they are replaced by `[not kept: the recording was paused]`. `recording_pauses` shows where. A recording that is paused already stays so. A call that is not being recorded, or has ended, is a 409.",
      ),
    HttpApiEndpoint.post("resumeRecording", "/api/v1/calls/:id/recording/resume", operated)
      .annotate(OpenApi.Summary, "Resume the recording of a call")
      .annotate(OpenApi.Description, "Ends the pause. A recording that is not paused stays as it is."),
    HttpApiEndpoint.put("setDisposition", "/api/v1/calls/:id/disposition", {
      params: byId,
      payload: NewDisposition,
      success: Call,
      error: [Problems.notFound, Problems.invalid],
    })
      .annotate(OpenApi.Summary, "Set the disposition of a call")
      .annotate(
        OpenApi.Description,
        "Sets what came of the call to one of the present `dispositions` of its agent, during the call or after it. It replaces what the agent or the extraction chose, and they do not change it any more. The last request wins. A disposition with `final` ends the call's contact if it still waits for an attempt: it becomes `completed` if a person was reached, otherwise `skipped` with the reason `final_disposition`. A change to another disposition does not open it again. A call in progress continues. Sends the event `call.disposition_set`.",
      ),
    HttpApiEndpoint.post("addNote", "/api/v1/calls/:id/notes", {
      params: byId,
      payload: NewCallNote,
      success: CallNote.pipe(HttpApiSchema.status(201)),
      error: [Problems.notFound, Problems.invalidState],
    })
      .annotate(OpenApi.Summary, "Add a note to a call")
      .annotate(
        OpenApi.Description,
        "Adds what you know about the call, during it or later, for other people. The call's `notes` show it with you as its author. A call has up to 100 notes. Notes are deleted with the transcript when the account's retention deletes it, and with the call. Exports of results and events do not contain them.",
      ),
    HttpApiEndpoint.delete("deleteNote", "/api/v1/calls/:id/notes/:note_id", {
      params: { ...byId, note_id: Schema.String.annotate({ description: "The note's UUID." }) },
      success: HttpApiSchema.NoContent,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Delete a note")
      .annotate(OpenApi.Description, "Deletes a note that you wrote. An owner can delete the notes of others too."),
    HttpApiEndpoint.post("whisper", "/api/v1/calls/:id/whisper", {
      params: byId,
      payload: NewWhisper,
      success: Call,
      error: [Problems.notFound, Problems.invalidState, callElsewhere, whisperLimited],
    })
      .annotate(OpenApi.Summary, "Whisper to the agent of a live call")
      .annotate(
        OpenApi.Description,
        "Tells the agent what to do in its next reply. The agent follows it in its own words; the other party neither hears nor sees it. The transcript has it as an entry with the `role` `whisper`. It works on every line. A call takes 20 in a minute; more are a 429 `rate_limited`. A call that was not answered yet or has ended is a 409 `invalid_state`, and a call whose process cannot be reached at the moment a 409 `call_elsewhere`: repeat the request.",
      ),
    HttpApiEndpoint.post("takeOver", "/api/v1/calls/:id/takeover", {
      params: byId,
      success: TakeoverTicket,
      error: [Problems.notFound, Problems.invalidState, callElsewhere],
    })
      .annotate(OpenApi.Summary, "Take a live call over")
      .annotate(
        OpenApi.Description,
        'Lets you talk with the other party in the agent\'s place. Open the WebSocket at `ws_path` within 30 seconds and send `{"type": "hello", "token": …}`. Once the answer is `ready`, the agent tells the other party that a colleague goes on, falls silent, and the answer `connected` follows: from then on the frames of both sides are passed on. A binary frame is a number of 4 bytes, little endian, and 20 ms of 16-bit samples: at 16 kHz from you, with the number of the last frame that you have played, and at 24 kHz to you. Send frames all the time: after 4 seconds without one the agent takes the call back and says so. A socket that breaks can be opened again with the same token until then. `{"type": "hand_back"}` gives the call back to the agent. The last message is `{"type": "ended", "reason": …}` with `handed_back`, `lost` or `call_ended`, or `{"type": "refused", "code": …, "detail": …}`: `invalid_state` while the agent collects digits, transfers the call or talks to a machine, `takeover_unknown` for a token that is not good, `call_elsewhere` if the process that conducts the call has failed, `replaced` when another page shows the token, and `invalid_message`, `invalid_frame`, `rate_limited` or `too_many_streams`. What both sides say is recorded and transcribed, yours with the `role` `person`. The agent\'s `max_call_seconds` and the account\'s caps apply as before. It works on lines whose sound passes through Parley: SIP, media streams and voice calls of web pages. On other lines, while another one has taken the call over, before the answer and after the end of the call it is a 409 `invalid_state`, and if the process that conducts the call cannot be reached at the moment a 409 `call_elsewhere`: repeat the request.',
      ),
    HttpApiEndpoint.get("recording", "/api/v1/calls/:id/recording", {
      params: byId,
      success: HttpApiSchema.StreamUint8Array({ contentType: "audio/wav" }),
      error: [Problems.notFound, Problems.invalidState, recordingElsewhere, recordingUnavailable, rangeNotSatisfiable],
    })
      .annotate(OpenApi.Summary, "Get the recording of a call")
      .annotate(
        OpenApi.Description,
        "Returns the recording as WAV: the other party on the left, the agent on the right, 16 bits a sample at the rate of the line. A call is recorded if its agent's `recording` is true and its sound passes through Parley: over SIP and in voice calls of web pages, but not in the lab or in conversations in writing. A `Range` of bytes is answered with 206. A call without a recording is a 404, and a call that is in progress a 409 `invalid_state`.",
      ),
    HttpApiEndpoint.get("listen", "/api/v1/calls/:id/listen", {
      params: byId,
      success: HttpApiSchema.StreamUint8Array({ contentType: "audio/wav" }),
      error: [Problems.notFound, Problems.invalidState, callElsewhere, tooManyStreams],
    })
      .annotate(OpenApi.Summary, "Listen to a live call")
      .annotate(
        OpenApi.Description,
        "Streams the sound of a call in progress from now on, as WAV of unknown length: the other party on the left, the agent on the right, 16 bits a sample at the rate of the line. The stream ends with the call. A reader that is too slow loses sound; the call does not wait for it. Both sides are silent while the recording is paused. Each listener is listed in the call's `listeners`. Calls can be heard over SIP, over media streams and in voice calls of web pages. A call that was not answered yet, that has ended, or whose sound does not pass through Parley is a 409 `invalid_state`. A call whose process cannot be reached at the moment is a 409 `call_elsewhere`: repeat the request. If that process fails while you listen, the answer is cut off: it has no last chunk.",
      ),
  )
  .annotate(OpenApi.Title, "Calls")
  .annotate(OpenApi.Description, "Phone calls: those of campaigns and those that you place directly.")
  // Middleware is added from the inside out: a bad token is refused before a bad body (decisions §2, order of checks).
  .pipe(addAccountMiddleware) {}
