/** The endpoints of an account's exports (docs/exports.md). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccountExport, NewExport } from "../domain/Export.ts"
import { Page, pageQuery } from "../domain/Page.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import { Needs } from "./edge/Authentication.ts"
import * as Problems from "./edge/Problems.ts"
import { rangeNotSatisfiable } from "./edge/Range.ts"

const byId = { id: Schema.String.annotate({ description: "The export's UUID." }) }

const Begun = HttpApiSchema.WithHeaders(AccountExport.pipe(HttpApiSchema.status(202)), {
  location: Schema.String.annotate({ description: "The path of the new export." }),
})

export class ExportsApi extends HttpApiGroup.make("exports")
  .add(
    HttpApiEndpoint.post("begin", "/api/v1/exports", {
      payload: NewExport,
      success: Begun,
      error: Problems.invalidState,
    })
      .annotate(OpenApi.Summary, "Export the account")
      .annotate(
        OpenApi.Description,
        "Answers 202 and continues in the background: poll the export until `status` is not `running`. The archive is a gzipped tar file of JSON Lines and recordings, with the rows of one moment: agents with their versions, tools, playbooks, FAQs, numbers, campaigns with contacts, calls with transcripts, records of decisions, the do-not-call list, keys without their secrets, webhooks, events and members. Credentials are masked. An account has one export at a time, and one file: a new export deletes the file before it. A second one while one is running is a 409 `invalid_state`.",
      ),
    HttpApiEndpoint.get("list", "/api/v1/exports", { query: pageQuery(), success: Page(AccountExport) })
      .annotate(OpenApi.Summary, "List exports")
      .annotate(OpenApi.Description, "Returns exports, newest first. The last 100 are kept, their files are not."),
    HttpApiEndpoint.get("get", "/api/v1/exports/:id", {
      params: byId,
      success: AccountExport,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get an export")
      .annotate(OpenApi.Description, "Looks the export up by UUID, with its progress."),
    HttpApiEndpoint.get("file", "/api/v1/exports/:id/file", {
      params: byId,
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/gzip" }),
      error: [Problems.notFound, Problems.invalidState, rangeNotSatisfiable],
    })
      .annotate(OpenApi.Summary, "Download the file of an export")
      .annotate(
        OpenApi.Description,
        "Returns the archive. A `Range` of bytes is answered with 206, so that a download can be resumed. An export that is running, has failed or has expired is a 409 `invalid_state`, and so is one whose file is on the disk of another machine of the installation (`state` is `elsewhere`).",
      ),
  )
  .annotate(OpenApi.Title, "Exports")
  .annotate(OpenApi.Description, "Copies of the whole account in one file. Only owners of the account can order them.")
  .annotateEndpoints(Needs, "manage")
  .pipe(addAccountMiddleware) {}
