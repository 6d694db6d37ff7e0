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
      .annotate(OpenApi.Summary, "Foresee what a campaign would come to")
      .annotate(
        OpenApi.Description,
        "Runs the dialler's own rules in virtual time over the campaign's real contacts, caps, calling window, retries and do-not-call list, with calls that go as stated: when it would end, calls by the hour, slots used, outcomes, who would be skipped and why, and what it would wait for most. A draft from its start; a running or paused one for what remains; an ended one is a 409 `invalid_state`. Nothing is dialled and nothing is changed: reading is enough. The account's other campaigns and direct calls are taken to be silent from now on; what they have used of this minute and day counts. One at a time for an account, and two for a process; one more is a 429 `rate_limited` with `Retry-After`.",
      ),
  )
  .annotate(OpenApi.Title, "Campaign preflight")
  .annotate(OpenApi.Description, "What a campaign would come to, before anybody is called.")
  .middleware(InvalidRequest)
  .middleware(StrictBody)
  .middleware(Authentication) {}
