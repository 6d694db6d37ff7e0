/** The documented endpoints of caller numbers (decision 0084). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { CallerNumber, RestNumber } from "../domain/CallerNumber.ts"
import { Page, pageQuery, Search } from "../domain/Page.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import { Needs } from "./edge/Authentication.ts"
import * as Problems from "./edge/Problems.ts"

const byId = { id: Schema.String.annotate({ description: "The phone number's UUID." }) }

export class CallerNumbersApi extends HttpApiGroup.make("caller-numbers")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/caller-numbers", {
      query: {
        ...pageQuery(),
        campaign_id: Schema.optionalKey(
          Schema.String.check(Schema.isUUID()).annotate({
            description: "Only the numbers of this campaign; `answers` and `days` then count its calls alone.",
          }),
        ),
        search: Schema.optionalKey(Search),
      },
      success: Page(CallerNumber),
    })
      .annotate(OpenApi.Summary, "List caller numbers")
      .annotate(
        OpenApi.Description,
        "Returns phone numbers, newest first, with their limits, their calls by day, their answer rates, and the rest in progress. `search` matches number and label.",
      ),
    HttpApiEndpoint.get("get", "/api/v1/caller-numbers/:id", {
      params: byId,
      success: CallerNumber,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get a caller number")
      .annotate(OpenApi.Description, "Returns a phone number with its use, as in the list."),
    HttpApiEndpoint.post("rest", "/api/v1/caller-numbers/:id/rest", {
      params: byId,
      payload: RestNumber,
      success: CallerNumber,
      error: [Problems.invalid, Problems.notFound, Problems.missingRole, Problems.missingScope],
    })
      .annotate(OpenApi.Summary, "Rest a number")
      .annotate(
        OpenApi.Description,
        "No campaign calls from the number until the rest ends; calls in progress continue, and direct calls and transfers remain possible. Replaces a rest in progress; an API key needs the scope `dial` in addition to `write` to end it earlier.",
      ),
    HttpApiEndpoint.delete("endRest", "/api/v1/caller-numbers/:id/rest", {
      params: byId,
      success: CallerNumber,
      error: Problems.notFound,
    })
      .annotate(Needs, "dial")
      .annotate(OpenApi.Summary, "End the rest of a number")
      .annotate(
        OpenApi.Description,
        "Campaigns call from the number again. If it rested automatically, only its calls from the next day on are compared. A number that does not rest stays as it is.",
      ),
  )
  .annotate(OpenApi.Title, "Caller numbers")
  .annotate(OpenApi.Description, "The numbers that campaigns call from: their limits, rests and answer rates.")
  .pipe(addAccountMiddleware) {}
