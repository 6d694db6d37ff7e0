/** The documented endpoint of a campaign's preflight. Contract only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { PreflightsBusy } from "../campaigns/Preflight.ts"
import { PreflightInput, PreflightReport } from "../domain/Preflight.ts"
import { Authentication, Needs } from "./edge/Authentication.ts"
import { StrictBody } from "./edge/Body.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import { asProblem } from "./edge/Problem.ts"
import * as Problems from "./edge/Problems.ts"

const preflightsBusy = PreflightsBusy.pipe(
  asProblem({ status: 429, code: "rate_limited", title: "Too many preflights" }),
)

/** A preflight changes nothing: the scope `read` is enough, and an idempotency key has no effect. */
export class CampaignPreflightApi extends HttpApiGroup.make("campaign-preflight")
  .add(
    HttpApiEndpoint.post("preflight", "/api/v1/campaigns/:id/preflight", {
      params: { id: Schema.String.annotate({ description: "The campaign's UUID." }) },
      payload: PreflightInput,
      success: PreflightReport,
      error: [Problems.notFound, Problems.invalidState, preflightsBusy],
    })
      .annotate(Needs, "read")
      .annotate(OpenApi.Summary, "Forecast a campaign")
      .annotate(
        OpenApi.Description,
        "Simulates the campaign in virtual time with the dialler's own rules and the campaign's real contacts, caps, calling window, retries and do-not-call list. Calls go as the request assumes. The report contains the end, calls by the hour, slots used, outcomes, skipped contacts with reasons, the limit that costs the most time, and how many calls `max_spend` and `daily_spend_cap` cover in the worst case. A draft is simulated from its start, a running or paused campaign for its remaining contacts; an ended campaign fails with 409 `invalid_state`. Nothing is dialled or changed, so the scope `read` is sufficient. The account's other running campaigns are assumed to continue and to take their shares of its caps; calls already placed in this minute and on this day count. One preflight may run at a time for an account and two in a process; beyond that the request fails with 429 `rate_limited` and `Retry-After`.",
      ),
  )
  .annotate(OpenApi.Title, "Campaign preflight")
  .annotate(OpenApi.Description, "A simulation of a campaign before anyone is called.")
  .middleware(InvalidRequest)
  .middleware(StrictBody)
  .middleware(Authentication) {}
