/** The documented endpoints of a campaign's contacts and results (spec §4; decisions §1). Contract only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Outcome } from "../domain/Call.ts"
import { CampaignTimeline } from "../domain/CampaignTimeline.ts"
import { Contact, ContactDetail, ContactStatus } from "../domain/Contact.ts"
import { Page, pageQuery, Search } from "../domain/Page.ts"
import { Authentication } from "./edge/Authentication.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import * as Problems from "./edge/Problems.ts"

const byId = { id: Schema.String.annotate({ description: "The campaign's UUID." }) }

export class CampaignContactsApi extends HttpApiGroup.make("campaign-contacts")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/campaigns/:id/contacts", {
      params: byId,
      query: {
        ...pageQuery(100),
        status: Schema.optionalKey(ContactStatus),
        outcome: Schema.optionalKey(Outcome),
        search: Schema.optionalKey(Search),
      },
      success: Page(Contact),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "List a campaign's contacts")
      .annotate(
        OpenApi.Description,
        "In file order. `search` looks into the number and every field: it takes a number as people write it (`+1 212 357 8200`), or words, each of which the number or a field must contain (`Ada Lovelace` finds a first and a last name).",
      ),
    HttpApiEndpoint.get("get", "/api/v1/campaigns/:id/contacts/:contact_id", {
      params: { ...byId, contact_id: Schema.String.annotate({ description: "The contact's UUID." }) },
      success: ContactDetail,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get a contact")
      .annotate(
        OpenApi.Description,
        "With its attempts, each a call, and why each was dialled when it was; and why it was not, whenever its turn had come and it was not.",
      ),
    HttpApiEndpoint.get("timeline", "/api/v1/campaigns/:id/timeline", {
      params: byId,
      query: {
        bucket_seconds: Schema.optionalKey(
          Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 86_400 })).annotate({
            description: "300 if left out.",
          }),
        ),
      },
      success: CampaignTimeline,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "A campaign's calls over time")
      .annotate(
        OpenApi.Description,
        "By when they began; `outcomes` are of those that have ended. Empty buckets are left out.",
      ),
    HttpApiEndpoint.get("results", "/api/v1/campaigns/:id/results.csv", {
      params: byId,
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/csv; charset=utf-8" }),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Export a campaign's results")
      .annotate(
        OpenApi.Description,
        "CSV in file order: number, status, outcome, attempts, last call, duration, the list's own columns, then what the agent noted. A cell that a spreadsheet would take for a formula gets a `'` before it; the phone number does not.",
      ),
    HttpApiEndpoint.get("decisions", "/api/v1/campaigns/:id/decisions.csv", {
      params: byId,
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/csv; charset=utf-8" }),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Export why a campaign dialled as it did")
      .annotate(
        OpenApi.Description,
        "CSV, contact by contact in file order: a line for each attempt (`dialled`, with rule, slots, caps, window and agent as they stood) and one for each reason for which it was not dialled when its turn had come (`put_off` until a time, or `skipped`), however often that was decided. Cells are made harmless as in results.csv.",
      ),
  )
  .annotate(OpenApi.Title, "Campaign contacts")
  .annotate(OpenApi.Description, "The rows of a campaign's list, and what became of each.")
  .middleware(InvalidRequest)
  .middleware(Authentication) {}
