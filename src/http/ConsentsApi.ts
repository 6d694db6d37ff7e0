/** The documented endpoints of the consent ledger (decision 0077). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Consent, RecordConsents, RecordedConsents, RevokeConsents } from "../domain/Consent.ts"
import { e164Input } from "../domain/E164.ts"
import { Page, pageQuery, Search } from "../domain/Page.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import { Audited } from "./edge/Audited.ts"
import { Authentication } from "./edge/Authentication.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import * as Problems from "./edge/Problems.ts"

export class ConsentsApi extends HttpApiGroup.make("consents")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/consents", {
      query: {
        ...pageQuery(),
        phone_number: Schema.optionalKey(e164Input("Only entries of this number. Write its + as %2B.")),
        search: Schema.optionalKey(Search),
      },
      success: Page(Consent),
    })
      .annotate(OpenApi.Summary, "List the consent ledger")
      .annotate(
        OpenApi.Description,
        "Returns consents and revocations, newest first. `search` matches number, subject, seller, source and `external_id`.",
      ),
    HttpApiEndpoint.get("get", "/api/v1/consents/:id", {
      params: { id: Schema.String.annotate({ description: "The entry's UUID." }) },
      success: Consent,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get an entry of the consent ledger")
      .annotate(
        OpenApi.Description,
        "The decision of an attempt names the consent that the call was based on (`decision.consent.id`).",
      ),
    HttpApiEndpoint.post("record", "/api/v1/consents", {
      payload: RecordConsents,
      success: RecordedConsents,
    })
      .annotate(OpenApi.Summary, "Record consents")
      .annotate(
        OpenApi.Description,
        "Adds up to 200 consents, all or none: one invalid row refuses the request, with a pointer to it. With an `external_id` in each row, a repetition changes nothing; an `external_id` whose entry says something else is a 400. Entries cannot be changed: record another one. A consent from before a revocation does not count again. A body has at most 10,000 JSON values, so send fewer consents at once if they have many fields.",
      ),
    HttpApiEndpoint.post("revoke", "/api/v1/consents/revocations", {
      payload: RevokeConsents,
      success: RecordedConsents,
    })
      .annotate(OpenApi.Summary, "Record revocations")
      .annotate(
        OpenApi.Description,
        "Adds up to 200 revocations, all or none. A revocation ends every earlier consent of its number within its subject, seller and channel; without them, all consents. Campaigns that require a consent then skip the number; a call in progress continues. To block a number for every campaign and call, add it to the do-not-call list.",
      ),
  )
  .annotate(OpenApi.Title, "Consents")
  .annotate(OpenApi.Description, "On what ground a number may be called, and when that was revoked.")
  .pipe(addAccountMiddleware) {}

export class ConsentExportApi extends HttpApiGroup.make("consent-export")
  .add(
    HttpApiEndpoint.get("csv", "/api/v1/consents.csv", {
      query: { search: Schema.optionalKey(Search) },
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/csv; charset=utf-8" }),
    })
      .annotate(OpenApi.Summary, "Export the consent ledger")
      .annotate(
        OpenApi.Description,
        "Returns all entries as CSV, in the order of their ids, which rise with time, with the fields of the list. `search` is that of the list. Entries of people who were erased have no number and no words. Formulas are neutralised as in results.csv.",
      ),
  )
  .annotate(OpenApi.Title, "Consents")
  .middleware(InvalidRequest)
  .middleware(Audited)
  .middleware(Authentication) {}
