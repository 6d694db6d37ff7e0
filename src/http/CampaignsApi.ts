/** The documented campaign endpoints (spec §4; decisions §1 and §2). Contract only: no handler, no database. */
import { Schema } from "effect"
import { Multipart } from "effect/http"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ContactListTooLarge } from "../campaigns/ContactListRefused.ts"
import { AgentId } from "../domain/Agent.ts"
import {
  BudgetExceeded,
  Campaign,
  CampaignFields,
  CampaignOrder,
  CampaignState,
  CampaignStatus,
} from "../domain/Campaign.ts"
import { campaignReadOnlyInUpdate } from "../domain/CampaignReadOnly.ts"
import { Page, pageQuery, Search } from "../domain/Page.ts"
import { TimestampInput } from "../domain/Timestamp.ts"
import { CampaignForm } from "./CampaignForm.ts"
import { Authentication, Needs } from "./edge/Authentication.ts"
import { StrictBody, unsupportedMediaType } from "./edge/Body.ts"
import { Idempotent, idempotencyInProgress, idempotencyKeyReused } from "./edge/Idempotency.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import { asProblem } from "./edge/Problem.ts"
import { tooManyStreams } from "./edge/OpenStreams.ts"
import * as Problems from "./edge/Problems.ts"
import { Created, ifMatch, Tagged, writable } from "./edge/Resource.ts"

const budgetExceeded = BudgetExceeded.pipe(
  asProblem({ status: 409, code: "budget_exceeded", title: "Concurrency budget exceeded" }),
)
const contactListTooLarge = ContactListTooLarge.pipe(
  asProblem({ status: 413, code: "body_too_large", title: "Contact list too large" }),
)

/** `duplicate_policy` and `default_country` were for the import, which is over. */
const CampaignChange = writable(
  {
    name: Schema.optionalKey(CampaignFields.name),
    agent_id: Schema.optionalKey(CampaignFields.agent_id),
    phone_number_id: Schema.optionalKey(CampaignFields.phone_number_id),
    max_concurrent_calls: Schema.optionalKey(CampaignFields.max_concurrent_calls),
    retries_per_contact: Schema.optionalKey(CampaignFields.retries_per_contact),
    retry_delay_seconds: Schema.optionalKey(CampaignFields.retry_delay_seconds),
    scheduled_at: Schema.optionalKey(Schema.NullOr(TimestampInput)),
    calling_window: Schema.optionalKey(CampaignFields.calling_window),
    max_calls_per_minute: Schema.optionalKey(CampaignFields.max_calls_per_minute),
    redial_unknown: Schema.optionalKey(CampaignFields.redial_unknown),
  },
  campaignReadOnlyInUpdate,
).annotate({ identifier: "CampaignChange", examples: [{ max_concurrent_calls: 5 }] as never })

const byId = { id: Schema.String.annotate({ description: "The campaign's UUID." }) }
const operated = { params: byId, success: Tagged(Campaign) }

export class CampaignsApi extends HttpApiGroup.make("campaigns")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/campaigns", {
      query: {
        ...pageQuery(),
        status: Schema.optionalKey(CampaignStatus),
        state: Schema.optionalKey(CampaignState),
        agent_id: Schema.optionalKey(AgentId),
        search: Schema.optionalKey(Search),
        order: Schema.optionalKey(CampaignOrder),
      },
      success: Page(Campaign),
    })
      .annotate(OpenApi.Summary, "List campaigns")
      .annotate(OpenApi.Description, "Newest first, unless `order` says otherwise. `search` looks into the name."),
    HttpApiEndpoint.get("get", "/api/v1/campaigns/:id", {
      params: byId,
      success: Tagged(Campaign),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get a campaign")
      .annotate(
        OpenApi.Description,
        "With its import report and its contacts counted by status. The ETag's part before the first `.` is the revision, which `If-Match` is compared with; what follows changes with the counts.",
      ),
    HttpApiEndpoint.put("update", "/api/v1/campaigns/:id", {
      params: byId,
      headers: ifMatch,
      payload: CampaignChange,
      success: Tagged(Campaign),
      error: [
        Problems.notFound,
        Problems.unknownReference,
        Problems.invalidState,
        Problems.preconditionFailed,
        budgetExceeded,
        Problems.missingRole,
        Problems.missingScope,
      ],
    })
      .annotate(OpenApi.Summary, "Change a campaign")
      .annotate(
        OpenApi.Description,
        "A draft: everything. A running or paused one: `name`, `max_concurrent_calls`, `retries_per_contact` and `retry_delay_seconds`, the budget checked again; any other field with another value is a 409. An API key needs the scope `dial` beside `write` for a change from which calls can follow: another `scheduled_at` that is not null, and more `max_concurrent_calls` or `retries_per_contact` for a campaign that runs or is scheduled.",
      ),
    HttpApiEndpoint.post("start", "/api/v1/campaigns/:id/start", {
      ...operated,
      error: [Problems.notFound, Problems.invalidState, budgetExceeded],
    })
      .annotate(Needs, "dial")
      .annotate(OpenApi.Summary, "Start a campaign, or resume a paused one")
      .annotate(
        OpenApi.Description,
        "409 `budget_exceeded` when the running campaigns and this one would together have more concurrent calls than the account may.",
      ),
    HttpApiEndpoint.post("pause", "/api/v1/campaigns/:id/pause", {
      ...operated,
      error: [Problems.notFound, Problems.invalidState],
    })
      .annotate(OpenApi.Summary, "Pause a campaign")
      .annotate(OpenApi.Description, "No new dials; calls in progress go on, and retry delays keep running."),
    HttpApiEndpoint.post("resume", "/api/v1/campaigns/:id/resume", {
      ...operated,
      error: [Problems.notFound, Problems.invalidState, budgetExceeded],
    })
      .annotate(Needs, "dial")
      .annotate(OpenApi.Summary, "Resume a paused campaign")
      .annotate(OpenApi.Description, "Under the same condition as a start."),
    HttpApiEndpoint.post("stop", "/api/v1/campaigns/:id/stop", {
      ...operated,
      error: [Problems.notFound, Problems.invalidState],
    })
      .annotate(OpenApi.Summary, "Stop a campaign")
      .annotate(
        OpenApi.Description,
        "It is `completed`: pending contacts are skipped at once, calls in progress finish and are counted. A contact whose last call would have led to a retry ends as `skipped`, `stopped`.",
      ),
    HttpApiEndpoint.delete("remove", "/api/v1/campaigns/:id", {
      params: byId,
      success: HttpApiSchema.NoContent,
      error: [Problems.notFound, Problems.invalidState],
    })
      .annotate(OpenApi.Summary, "Delete a draft")
      .annotate(OpenApi.Description, "With its contacts. Any other state is a 409."),
  )
  .annotate(OpenApi.Title, "Campaigns")
  .annotate(
    OpenApi.Description,
    "Outbound dialling of a contact list, through one number, with one agent, in a budget.",
  )
  // Innermost first: a bad token is refused before a bad body (decisions §2, order of checks).
  .middleware(InvalidRequest)
  .middleware(Idempotent)
  .middleware(StrictBody)
  .middleware(Authentication) {}

/** Its body is a form, so the middleware of JSON bodies does not apply; the handler reads and checks it. */
export class CampaignCreationApi extends HttpApiGroup.make("campaign-creation")
  .add(
    HttpApiEndpoint.post("create", "/api/v1/campaigns", {
      payload: Schema.Struct({
        ...CampaignForm.fields,
        contacts: Multipart.SingleFileSchema.annotate({
          description: "The contact list: UTF-8 CSV, 10 MB at most, a header with the column `phone_number`.",
        }),
      }).pipe(HttpApiSchema.asMultipart()),
      success: Created(Campaign),
      error: [
        Problems.invalid,
        Problems.unknownReference,
        contactListTooLarge,
        Problems.missingRole,
        Problems.missingScope,
        unsupportedMediaType,
        idempotencyKeyReused,
        idempotencyInProgress,
      ],
    })
      .annotate(OpenApi.Summary, "Create a campaign from a contact list")
      .annotate(
        OpenApi.Description,
        "Fields may stand before or after the file. The import is one transaction: a campaign exists with all its contacts or not at all. Invalid rows are left out and listed in `import.errors`; more than half of them is a 400. `calling_window` is JSON. A `scheduled_at` in the past starts at once; with a `scheduled_at` an API key needs the scope `dial` beside `write`. `variables` tells which variables of the agent's templates the list does not fill, with the sentence as it would be said: a report, never a refusal.",
      ),
  )
  .annotate(OpenApi.Title, "Campaigns")
  .middleware(InvalidRequest)
  .middleware(Authentication) {}

/** Streams are written by hand, for thousands of clients; the contract documents their contents. */
export class CampaignEventsApi extends HttpApiGroup.make("campaign-events")
  .add(
    HttpApiEndpoint.get("events", "/api/v1/campaigns/:id/events", {
      params: byId,
      headers: { "last-event-id": Schema.optionalKey(Schema.String) },
      success: [HttpApiSchema.StreamUint8Array({ contentType: "text/event-stream" }), HttpApiSchema.NoContent],
      error: [Problems.notFound, tooManyStreams],
    })
      .annotate(OpenApi.Summary, "Follow a campaign")
      .annotate(
        OpenApi.Description,
        "Server-Sent Events. A snapshot at once and, while the campaign runs, every 2 seconds; a comment every 15 seconds; the event `end` with the last snapshot when it reaches a terminal status, then the stream closes. `Last-Event-ID` of an `end` is answered by 204, which stops an EventSource. An account with too many streams and sockets open gets a 429 `too_many_streams`.",
      ),
  )
  .annotate(OpenApi.Title, "Campaign events")
  .middleware(InvalidRequest)
  .middleware(Authentication) {}
