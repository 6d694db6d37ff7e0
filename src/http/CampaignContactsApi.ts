/** The documented endpoints of a campaign's contacts and results (spec §4; decisions §1). Contract only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Outcome } from "../domain/Call.ts"
import { CampaignTimeline } from "../domain/CampaignTimeline.ts"
import { Contact, ContactDetail, ContactStatus } from "../domain/Contact.ts"
import { DispositionKey } from "../domain/Disposition.ts"
import { Page, pageQuery, Search } from "../domain/Page.ts"
import { Audited } from "./edge/Audited.ts"
import { Authentication } from "./edge/Authentication.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import * as Problems from "./edge/Problems.ts"

const byId = { id: Schema.String.annotate({ description: "The campaign's UUID." }) }

/** Which contacts are listed, or exported. */
const contactConditions = {
  status: Schema.optionalKey(ContactStatus),
  outcome: Schema.optionalKey(Outcome),
  disposition: Schema.optionalKey(DispositionKey).annotate({
    description: "The key of a disposition: only contacts whose last call has it.",
  }),
  search: Schema.optionalKey(Search),
}

export class CampaignContactsApi extends HttpApiGroup.make("campaign-contacts")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/campaigns/:id/contacts", {
      params: byId,
      query: { ...pageQuery(100), ...contactConditions },
      success: Page(Contact),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "List a campaign's contacts")
      .annotate(
        OpenApi.Description,
        "Returns contacts in file order. `search` matches the number, however it is written (`+1 212 357 8200`), or words. Each word must occur in the number or in one of the fields, so `Ada Lovelace` finds a first name and a last name.",
      ),
    HttpApiEndpoint.get("get", "/api/v1/campaigns/:id/contacts/:contact_id", {
      params: { ...byId, contact_id: Schema.String.annotate({ description: "The contact's UUID." }) },
      success: ContactDetail,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get a contact")
      .annotate(
        OpenApi.Description,
        "Returns the contact with its attempts, each of which is a call, and with the dialler's decisions: why it dialled each attempt, and why it postponed or skipped the contact.",
      ),
    HttpApiEndpoint.get("timeline", "/api/v1/campaigns/:id/timeline", {
      params: byId,
      query: {
        bucket_seconds: Schema.optionalKey(
          Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 86_400 })).annotate({
            description: "Length of a bucket in seconds. Defaults to 300.",
          }),
        ),
      },
      success: CampaignTimeline,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get a campaign's calls over time")
      .annotate(
        OpenApi.Description,
        "Counts calls in the bucket in which they began. `outcomes` counts only the calls that have ended. Empty buckets are omitted.",
      ),
    HttpApiEndpoint.get("results", "/api/v1/campaigns/:id/results.csv", {
      params: byId,
      query: contactConditions,
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/csv; charset=utf-8" }),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Export a campaign's results")
      .annotate(
        OpenApi.Description,
        "Returns CSV in file order, of all contacts or of those that the list finds by the same filters: phone number, status, outcome, attempts, time of the last call, duration, the columns of the contact list, and then the fields that the agent recorded. A column of the list that has the name of an earlier column is named `list_…`, and such a field `result_…`. A cell that a spreadsheet would read as a formula is prefixed with `'`, except in the phone number column.",
      ),
    HttpApiEndpoint.get("decisions", "/api/v1/campaigns/:id/decisions.csv", {
      params: byId,
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/csv; charset=utf-8" }),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Export a campaign's dial decisions")
      .annotate(
        OpenApi.Description,
        "Returns CSV, contact by contact in file order. Each attempt has one row (`dialled`) with the rule, slots, caps, window and agent at that moment. Each reason for which a contact was not dialled when it was due has one row (`put_off` until a time, or `skipped`), however often the dialler decided so. If the campaign has a `subject`, the last column has it. Formulas are neutralised as in results.csv.",
      ),
  )
  .annotate(OpenApi.Title, "Campaign contacts")
  .annotate(OpenApi.Description, "The rows of a campaign's contact list and the result of each.")
  .middleware(InvalidRequest)
  .middleware(Audited)
  .middleware(Authentication) {}
