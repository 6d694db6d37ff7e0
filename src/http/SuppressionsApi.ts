/** The documented endpoints of the do-not-call list (decisions §1 and §2). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { E164Input } from "../domain/E164.ts"
import { Page, pageQuery, Search } from "../domain/Page.ts"
import { Suppression, suppressionReadOnly } from "../domain/Suppression.ts"
import { TimestampInput } from "../domain/Timestamp.ts"
import { Authentication } from "./edge/Authentication.ts"
import { StrictBody } from "./edge/Body.ts"
import { Idempotent } from "./edge/Idempotency.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import * as Problems from "./edge/Problems.ts"
import { writable } from "./edge/Resource.ts"
import { Upserted } from "./edge/Upsert.ts"

const example = { phone_number: "+14155550132", reason: "Asked by letter" }

const NewSuppression = writable(
  {
    phone_number: E164Input.annotate({ description: "E.164." }),
    reason: Schema.optionalKey(Suppression.fields.reason),
    expires_at: Schema.optionalKey(Schema.NullOr(TimestampInput)).annotate({
      description: "From then on it does not count; never, if left out.",
    }),
  },
  suppressionReadOnly,
).annotate({ identifier: "NewSuppression", examples: [example] as never })

export class SuppressionsApi extends HttpApiGroup.make("suppressions")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/suppressions", {
      query: { ...pageQuery(), search: Schema.optionalKey(Search) },
      success: Page(Suppression),
    })
      .annotate(OpenApi.Summary, "List the do-not-call list")
      .annotate(
        OpenApi.Description,
        "Newest first, those that have expired included. `search` looks into number and reason; a number is found however it is written.",
      ),
    HttpApiEndpoint.post("add", "/api/v1/suppressions", {
      payload: NewSuppression,
      success: Upserted(Suppression),
    })
      .annotate(OpenApi.Summary, "Put a number on the do-not-call list")
      .annotate(
        OpenApi.Description,
        "201 when it is new; 200 when it was on the list: then `reason` and `expires_at` are what is posted now. From then on nothing dials it; a call in progress goes on.",
      ),
    HttpApiEndpoint.delete("remove", "/api/v1/suppressions/:phone_number", {
      params: {
        phone_number: Schema.String.annotate({
          description: "The number in E.164, its + encoded as %2B.",
          examples: ["+14155550132"],
        }),
      },
      success: HttpApiSchema.NoContent,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Take a number off the do-not-call list")
      .annotate(OpenApi.Description, "It may be dialled again."),
  )
  .annotate(OpenApi.Title, "Do-not-call list")
  .annotate(OpenApi.Description, "Numbers that nothing of this account dials.")
  .middleware(InvalidRequest)
  .middleware(Idempotent)
  .middleware(StrictBody)
  .middleware(Authentication) {}
