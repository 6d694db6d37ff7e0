/** Rehearsing an agent: the documented endpoints of its scenario runs (docs/scenarios.md). Contract only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Page, pageQuery } from "../domain/Page.ts"
import { NewScenarioRun, ScenarioRun, ScenarioRunSummary } from "../domain/Scenario.ts"
import { Authentication } from "./edge/Authentication.ts"
import { StrictBody } from "./edge/Body.ts"
import { Idempotent } from "./edge/Idempotency.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import * as Problems from "./edge/Problems.ts"

const agent = { id: Schema.String.annotate({ description: "The agent's UUID or name.", examples: ["Rosa"] }) }

const Begun = HttpApiSchema.WithHeaders(ScenarioRun.pipe(HttpApiSchema.status(202)), {
  location: Schema.String.annotate({ description: "The path of the run." }),
})

export class ScenarioRunsApi extends HttpApiGroup.make("scenario-runs")
  .add(
    HttpApiEndpoint.post("begin", "/api/agents/:id/scenario-runs", {
      params: agent,
      payload: NewScenarioRun,
      success: Begun,
      error: [Problems.invalid, Problems.notFound, Problems.invalidState, ...Problems.costly],
    })
      .annotate(OpenApi.Summary, "Run scenarios against an agent")
      .annotate(
        OpenApi.Description,
        "202: the run continues in the background; ask for it until its status is not `running`. A simulated caller talks with the agent through the same program that conducts every call, and the tools answer as the scenario says. No phone is called, no cap counts the run, and nothing that a tool writes to the account stays. At most 50 scenarios and 100 calls, 15 minutes, and two runs of an account at once (409).",
      ),
    HttpApiEndpoint.get("list", "/api/agents/:id/scenario-runs", {
      params: agent,
      query: pageQuery(),
      success: Page(ScenarioRunSummary),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "List an agent's scenario runs")
      .annotate(OpenApi.Description, "Newest first, without their results. The last hundred are kept."),
    HttpApiEndpoint.get("get", "/api/agents/:id/scenario-runs/:run_id", {
      params: { ...agent, run_id: Schema.String.annotate({ description: "The run's UUID." }) },
      success: ScenarioRun,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get a scenario run")
      .annotate(OpenApi.Description, "With what was said, what tools were asked, and what held, call by call."),
  )
  .annotate(OpenApi.Title, "Scenarios")
  .annotate(OpenApi.Description, "Knowing that an agent is good before it calls anyone.")
  .middleware(InvalidRequest)
  .middleware(Idempotent)
  .middleware(StrictBody)
  .middleware(Authentication) {}
