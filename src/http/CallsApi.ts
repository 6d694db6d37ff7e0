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
import { CapReached } from "../domain/Cap.ts"
import { NumberPaceReached } from "../domain/NumberPace.ts"
import { Page, pageQuery, Search } from "../domain/Page.ts"
import { TimestampInput } from "../domain/Timestamp.ts"
import { Authentication, Needs } from "./edge/Authentication.ts"
import { StrictBody } from "./edge/Body.ts"
import { Idempotent } from "./edge/Idempotency.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import { asProblem } from "./edge/Problem.ts"
import * as Problems from "./edge/Problems.ts"
import { Placed, Tagged, writable } from "./edge/Resource.ts"

const doNotCall = DoNotCall.pipe(
  asProblem({ status: 409, code: "do_not_call", title: "The number is on the do-not-call list" }),
)
/** Its `code` is the cap's own: `concurrent_cap`, `per_minute_cap` or `daily_cap`. */
const capReached = CapReached.pipe(asProblem({ status: 429, code: "cost_cap", title: "Cost cap reached" }))
/** Calls from one number are spaced, and so many already wait that this one would wait too long. */
const numberPaceReached = NumberPaceReached.pipe(
  asProblem({ status: 429, code: "rate_limited", title: "The number's pace is reached" }),
)

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

export class CallsApi extends HttpApiGroup.make("calls")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/calls", {
      query: {
        ...pageQuery(),
        campaign_id: Schema.optionalKey(Uuid),
        agent_id: Schema.optionalKey(Uuid),
        status: Schema.optionalKey(CallStatus),
        outcome: Schema.optionalKey(Outcome),
        direction: Schema.optionalKey(CallDirection),
        from: Schema.optionalKey(TimestampInput.annotate({ description: "Begun at this moment or later." })),
        to: Schema.optionalKey(TimestampInput.annotate({ description: "Begun before this moment." })),
        search: Schema.optionalKey(Search),
      },
      success: Page(CallSummary),
    })
      .annotate(OpenApi.Summary, "List calls")
      .annotate(
        OpenApi.Description,
        "Newest first. `search` takes the number at the other end as people write it (`+1 212 357 8200`), or words, each of which the number, the contact's fields, the variables or the transcript must contain. Items have every field of a call but `transcript`, `tool_invocations` and `turns`.",
      ),
    HttpApiEndpoint.post("place", "/api/v1/calls", {
      payload: NewCall,
      success: Placed(Call),
      error: [Problems.unknownReference, Problems.invalidState, doNotCall, capReached, numberPaceReached],
    })
      .annotate(Needs, "dial")
      .annotate(OpenApi.Summary, "Place one outbound call")
      .annotate(
        OpenApi.Description,
        "The answer comes as soon as the call is written down; its `status` then goes from `queued` over `ringing` and `in_progress` to `completed` (a person or a voicemail answered) or `failed`. Over a cost cap: 429 with `code` `concurrent_cap`, `per_minute_cap` or `daily_cap`. A phone number with a pace (`carrier_config.calls_per_second`) begins its calls one after another: the answer comes when this one has begun, or, when it would have to wait for more than 5 s, is a 429 `rate_limited`. A number on the do-not-call list is a 409 `do_not_call`; one that is in a call of this account already, or a phone number that cannot be dialled from (a `sip` number, or a `twilio` one without credentials or PARLEY_PUBLIC_URL), a 409 `invalid_state`.",
      ),
    HttpApiEndpoint.get("get", "/api/v1/calls/:id", { params: byId, success: Tagged(Call), error: Problems.notFound })
      .annotate(OpenApi.Summary, "Get a call")
      .annotate(
        OpenApi.Description,
        "With its transcript, the timings of each turn, its tool invocations, outcome, result and cost by part. Those are there once the call has ended. `started_ms` and `ended_ms` are phone time since the answer, which `LAB_SPEED` scales in the lab; `at` and `duration_seconds` are real.",
      ),
    HttpApiEndpoint.post("hangUp", "/api/v1/calls/:id/hangup", {
      params: byId,
      success: Call,
      error: [Problems.notFound, Problems.invalidState],
    })
      .annotate(OpenApi.Summary, "Hang up a call")
      .annotate(
        OpenApi.Description,
        "Answers with the call as it ended, `end_reason` `hung_up`: `completed` when it had been answered, else `failed` with the outcome `no_answer`. A call that has ended is a 409.",
      ),
    HttpApiEndpoint.get("recording", "/api/v1/calls/:id/recording", {
      params: byId,
      success: HttpApiSchema.StreamUint8Array({ contentType: "audio/wav" }),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get the recording of a call")
      .annotate(OpenApi.Description, "WAV. A call without sound, as every call in the lab, has no recording: 404."),
  )
  .annotate(OpenApi.Title, "Calls")
  .annotate(OpenApi.Description, "Single phone calls: those of campaigns, and direct ones.")
  // Innermost first: a bad token is refused before a bad body (decisions §2, order of checks).
  .middleware(InvalidRequest)
  .middleware(Idempotent)
  .middleware(StrictBody)
  .middleware(Authentication) {}
