/** The documented campaign endpoints (spec §4; decisions §1 and §2). Contract only: no handler, no database. */
import { Schema } from "effect"
import { Multipart } from "effect/http"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AgentId } from "../domain/Agent.ts"
import {
  BudgetExceeded,
  Campaign,
  CampaignFields,
  CampaignOrder,
  CampaignState,
  CampaignStatus,
} from "../domain/Campaign.ts"
import { CopyCampaign } from "../domain/CampaignCopy.ts"
import { campaignReadOnlyInUpdate } from "../domain/CampaignReadOnly.ts"
import { Page, pageQuery, Search } from "../domain/Page.ts"
import { CampaignForm, campaignSettings } from "./CampaignForm.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import { Audited } from "./edge/Audited.ts"
import { Authentication, Needs } from "./edge/Authentication.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import { asProblem } from "./edge/Problem.ts"
import { uploadProblems } from "./edge/ListUpload.ts"
import { tooManyStreams } from "./edge/OpenStreams.ts"
import * as Problems from "./edge/Problems.ts"
import { Created, ifMatch, Tagged, writable } from "./edge/Resource.ts"

const budgetExceeded = BudgetExceeded.pipe(
  asProblem({ status: 409, code: "budget_exceeded", title: "Concurrency budget exceeded" }),
)
/** Without `duplicate_policy`, `default_country` and the names of columns, which apply only to the import. */
const CampaignChange = writable(
  {
    name: Schema.optionalKey(CampaignFields.name),
    agent_id: Schema.optionalKey(CampaignFields.agent_id),
    phone_number_id: Schema.optionalKey(CampaignFields.phone_number_id),
    ...campaignSettings,
    redial_unknown: Schema.optionalKey(CampaignFields.redial_unknown),
    loosen_rules: Schema.optionalKey(Schema.Boolean).annotate({
      description:
        "Whether this change may remove rule packs from a campaign that has started. It is not stored; the audit log shows the packs before and after.",
    }),
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
      .annotate(
        OpenApi.Description,
        "Returns campaigns, newest first unless `order` is `state`. `search` matches the name.",
      ),
    HttpApiEndpoint.get("get", "/api/v1/campaigns/:id", {
      params: byId,
      success: Tagged(Campaign),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get a campaign")
      .annotate(
        OpenApi.Description,
        "Returns the campaign with its import report and its contact counts by status. `If-Match` compares only the revision, which is the part of the ETag before the first `.`; the rest changes with the counts.",
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
        "In a draft you can change every field. In a running or paused campaign you can change `name`, `max_concurrent_calls`, `retries_per_contact` and `retry_delay_seconds`, with the concurrency budget checked again, and you can add `rule_packs` (removing one needs `loosen_rules`); another value for any other field is a 409. An API key needs the scope `dial` in addition to `write` for a change that can cause calls: a new `scheduled_at` that is not null, and a higher `max_concurrent_calls` or `retries_per_contact` in a running or scheduled campaign, or rule packs that are removed from it.",
      ),
    HttpApiEndpoint.post("copy", "/api/v1/campaigns/:id/copy", {
      params: byId,
      payload: CopyCampaign,
      success: Created(Campaign),
      error: [Problems.notFound, Problems.invalidState],
    })
      .annotate(OpenApi.Summary, "Copy a campaign")
      .annotate(
        OpenApi.Description,
        "Creates a draft with the settings of the campaign, whatever its status, and with its contacts or some of them, such as those who did not answer. They keep their fields and `external_id`, and count as never called. Withdrawn and erased contacts are not copied; numbers on the do-not-call list are copied, and skipped when the campaign dials. The draft has no `scheduled_at`, and none of the `caller_numbers` that were deleted or got another carrier meanwhile; change its settings with PUT before the start. If its agent or its phone number was deleted, give it another one before the start. A copy is of one moment: what happens to the contacts afterwards does not change it. If no contact matches, the request fails with 409 `invalid_state`.",
      ),
    HttpApiEndpoint.post("start", "/api/v1/campaigns/:id/start", {
      ...operated,
      error: [Problems.notFound, Problems.invalidState, budgetExceeded],
    })
      .annotate(Needs, "dial")
      .annotate(OpenApi.Summary, "Start a campaign, or resume a paused one")
      .annotate(
        OpenApi.Description,
        "Fails with 409 `budget_exceeded` if the `max_concurrent_calls` of the running campaigns and of this one together exceed the account's `concurrent_max`.",
      ),
    HttpApiEndpoint.post("pause", "/api/v1/campaigns/:id/pause", {
      ...operated,
      error: [Problems.notFound, Problems.invalidState],
    })
      .annotate(OpenApi.Summary, "Pause a campaign")
      .annotate(OpenApi.Description, "Stops dialling. Calls in progress continue, and retry delays keep running."),
    HttpApiEndpoint.post("resume", "/api/v1/campaigns/:id/resume", {
      ...operated,
      error: [Problems.notFound, Problems.invalidState, budgetExceeded],
    })
      .annotate(Needs, "dial")
      .annotate(OpenApi.Summary, "Resume a paused campaign")
      .annotate(OpenApi.Description, "Fails with 409 `budget_exceeded` under the same condition as a start."),
    HttpApiEndpoint.post("stop", "/api/v1/campaigns/:id/stop", {
      ...operated,
      error: [Problems.notFound, Problems.invalidState],
    })
      .annotate(OpenApi.Summary, "Stop a campaign")
      .annotate(
        OpenApi.Description,
        "Sets the campaign to `completed` and skips its pending contacts at once. Calls in progress finish and are counted. A contact whose last call would have been retried ends as `skipped` with the reason `stopped`.",
      ),
    HttpApiEndpoint.delete("remove", "/api/v1/campaigns/:id", {
      params: byId,
      headers: ifMatch,
      success: HttpApiSchema.NoContent,
      error: [Problems.notFound, Problems.invalidState, Problems.preconditionFailed],
    })
      .annotate(OpenApi.Summary, "Delete a draft")
      .annotate(OpenApi.Description, "Deletes a draft and its contacts. A campaign in any other state is a 409."),
  )
  .annotate(OpenApi.Title, "Campaigns")
  .annotate(
    OpenApi.Description,
    "Outbound dialling of a contact list through one phone number, with one agent, within a concurrency budget.",
  )
  // Middleware is added from the inside out: a bad token is refused before a bad body (decisions §2, order of checks).
  .pipe(addAccountMiddleware) {}

/** Its body is a form, so the middleware of JSON bodies does not apply; the handler reads and checks it. */
export class CampaignCreationApi extends HttpApiGroup.make("campaign-creation")
  .add(
    HttpApiEndpoint.post("create", "/api/v1/campaigns", {
      payload: Schema.Struct({
        ...CampaignForm.fields,
        contacts: Multipart.SingleFileSchema,
      }).pipe(HttpApiSchema.asMultipart()),
      success: Created(Campaign),
      error: [...uploadProblems, Problems.unknownReference],
    })
      .annotate(OpenApi.Summary, "Create a campaign from a contact list")
      .annotate(
        OpenApi.Description,
        "Form fields may come before or after the file. The import is one transaction: either the campaign is created with all its contacts, or nothing is. Invalid rows are left out and listed in `import.errors`; if more than half of the rows are invalid, the request fails with a 400. `calling_window` and `rule_packs` are JSON. A campaign whose `scheduled_at` is in the past starts at once; with a `scheduled_at`, an API key needs the scope `dial` in addition to `write`. `variables` reports which variables of the agent's templates the list does not fill, with the sentence that would have a gap. Such gaps do not make the request fail.",
      ),
  )
  .annotate(OpenApi.Title, "Campaigns")
  .middleware(InvalidRequest)
  .middleware(Audited)
  .middleware(Authentication) {}

/** The handler writes the streams itself, for thousands of clients. The contract documents their contents. */
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
        "Streams Server-Sent Events. The first snapshot is sent at once, then one every 2 seconds while the campaign runs, and a comment every 15 seconds. When the campaign reaches a terminal status, the event `end` carries the last snapshot and the stream closes. A request with the `Last-Event-ID` of an `end` is answered with 204, which stops an EventSource. If the account has too many streams and sockets open, the request fails with 429 `too_many_streams`.",
      ),
  )
  .annotate(OpenApi.Title, "Campaign events")
  .middleware(InvalidRequest)
  .middleware(Authentication) {}
