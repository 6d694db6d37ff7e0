/** The documented endpoints of the do-not-call list (decisions §1 and §2). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { e164Input } from "../domain/E164.ts"
import { Page, pageQuery, Search } from "../domain/Page.ts"
import { Subject } from "../domain/Subject.ts"
import { Suppression, suppressionReadOnly } from "../domain/Suppression.ts"
import { TimestampInput } from "../domain/Timestamp.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import * as Problems from "./edge/Problems.ts"
import { writable } from "./edge/Resource.ts"
import { Upserted } from "./edge/Upsert.ts"

const example = { phone_number: "+14155550132", reason: "Asked by letter" }

const NewSuppression = writable(
  {
    phone_number: e164Input("The number that must not be dialled."),
    reason: Schema.optionalKey(Suppression.fields.reason),
    expires_at: Schema.optionalKey(Schema.NullOr(TimestampInput)).annotate({
      description: "When the entry stops blocking calls. Omit it or send null to block the number permanently.",
    }),
    subject: Schema.optionalKey(Schema.NullOr(Subject)).annotate({
      description:
        "Forbids only campaigns with this `subject`, in any case, and calls that have none. Omit it or send null to forbid all calls.",
    }),
  },
  suppressionReadOnly,
).annotate({ identifier: "NewSuppression", examples: [example] as never })

export class SuppressionsApi extends HttpApiGroup.make("suppressions")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/suppressions", {
      query: {
        ...pageQuery(),
        search: Schema.optionalKey(Search),
        subject: Schema.optionalKey(
          Subject.annotate({
            description: "Only entries for this subject, in any case.",
            examples: ["energy tariffs"],
          }),
        ),
      },
      success: Page(Suppression),
    })
      .annotate(OpenApi.Summary, "List the do-not-call list")
      .annotate(
        OpenApi.Description,
        "Returns entries, newest first, including expired ones. `search` matches number and reason; write a number with or without spaces and punctuation.",
      ),
    HttpApiEndpoint.post("add", "/api/v1/suppressions", {
      payload: NewSuppression,
      success: Upserted(Suppression),
    })
      .annotate(OpenApi.Summary, "Add a number to the do-not-call list")
      .annotate(
        OpenApi.Description,
        "Answers 201 if the number was not on the list. Otherwise replaces `reason` and `expires_at` and answers 200. No new call of the account dials the number; a call in progress continues. With `subject`, the entry is one of its own, which forbids campaigns with that subject and calls that have none.",
      ),
    HttpApiEndpoint.delete("remove", "/api/v1/suppressions/:phone_number", {
      params: {
        phone_number: Schema.String.annotate({
          description: "The number in E.164 form, with the + encoded as %2B.",
          examples: ["+14155550132"],
        }),
      },
      query: {
        subject: Schema.optionalKey(
          Subject.annotate({
            description: "The subject of the entry. Without it, the entry for all calls is removed.",
            examples: ["energy tariffs"],
          }),
        ),
      },
      success: HttpApiSchema.NoContent,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Remove a number from the do-not-call list")
      .annotate(
        OpenApi.Description,
        "The number can be dialled again, unless it has another entry: one for all calls, and one for each `subject`.",
      ),
  )
  .annotate(OpenApi.Title, "Do-not-call list")
  .annotate(OpenApi.Description, "Numbers that the account never dials.")
  .pipe(addAccountMiddleware) {}
