/** The documented endpoints that import and export the do-not-call list. Contract only: no handler, no database. */
import { Schema } from "effect"
import { Multipart } from "effect/http"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Search } from "../domain/Page.ts"
import { Subject } from "../domain/Subject.ts"
import { Suppression } from "../domain/Suppression.ts"
import { SuppressionReport } from "../domain/SuppressionReport.ts"
import { Country } from "./CampaignForm.ts"
import { Audited } from "./edge/Audited.ts"
import { Authentication } from "./edge/Authentication.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import { uploadProblems } from "./edge/ListUpload.ts"

/** The fields as JSON types; the form sends them as text. */
export const SuppressionForm = Schema.Struct({
  reason: Schema.optionalKey(Suppression.fields.reason.members[0]).annotate({
    description: "The reason of the rows that have none of their own.",
  }),
  default_country: Schema.optionalKey(Country),
  subject: Schema.optionalKey(Subject).annotate({
    description: "The `subject` of the entries of rows that have none of their own. Without it, they forbid all calls.",
  }),
})

export class SuppressionListsApi extends HttpApiGroup.make("suppression-lists")
  .add(
    HttpApiEndpoint.post("import", "/api/v1/suppressions/import", {
      payload: Schema.Struct({ ...SuppressionForm.fields, numbers: Multipart.SingleFileSchema }).pipe(
        HttpApiSchema.asMultipart(),
      ),
      success: SuppressionReport,
      error: uploadProblems,
    })
      .annotate(OpenApi.Summary, "Import a do-not-call list")
      .annotate(
        OpenApi.Description,
        "Adds all numbers of a CSV file to the list. The whole file is checked first: a request that is refused adds nothing. The file has a header with the column `phone_number`, and may have `reason`, `expires_at` and `campaign_subject`, with which a row adds an entry for one subject; other columns are ignored, so an export of the list can be imported. A file without a header has a number in each row, and perhaps a reason behind it. A number that is on the list stays as it is, but its `expires_at` becomes later if the file says so. Invalid rows are left out and listed in `errors`; if more than half of the rows are invalid, the request fails with a 400. If the request is cut off, a part of the numbers may be on the list; import the file again. No new call of the account dials the numbers once the request is answered.",
      ),
    HttpApiEndpoint.get("export", "/api/v1/suppressions.csv", {
      query: { search: Schema.optionalKey(Search) },
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/csv; charset=utf-8" }),
    })
      .annotate(OpenApi.Summary, "Export the do-not-call list")
      .annotate(
        OpenApi.Description,
        "Returns the entries as CSV, in the order of their numbers, expired ones too: number, source, reason, `created_at`, `expires_at`, call. If the list has entries for one subject, they follow the others, and `campaign_subject` is the last column. `search` is that of the list. Numbers of people who were erased are not known any more, and are missing. Formulas are neutralised as in results.csv.",
      ),
  )
  .annotate(OpenApi.Title, "Do-not-call list")
  .middleware(InvalidRequest)
  .middleware(Audited)
  .middleware(Authentication) {}
