/** Rehearsing an agent: the documented endpoints of its scenario runs (docs/scenarios.md). Contract only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Page, pageQuery } from "../domain/Page.ts"
import { NewScenarioRun, ScenarioRun, ScenarioRunSummary } from "../domain/Scenario.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import * as Problems from "./edge/Problems.ts"

const agent = { id: Schema.String.annotate({ description: "The agent's UUID or name.", examples: ["Rosa"] }) }

const Begun = HttpApiSchema.WithHeaders(ScenarioRun.pipe(HttpApiSchema.status(202)), {
  location: Schema.String.annotate({ description: "The path of the new run." }),
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
        "Answers 202 and continues in the background: poll the run until `status` is not `running`. A simulated caller talks to the agent through the same code that conducts real calls, and the tools answer as the scenario states. No phone is called, no cap counts the run, and nothing that a tool writes to the account is kept. A run has at most 50 scenarios and 100 calls and takes at most 15 minutes. An account can have two runs at a time; a third is a 409.",
      ),
    HttpApiEndpoint.get("list", "/api/agents/:id/scenario-runs", {
      params: agent,
      query: pageQuery(),
      success: Page(ScenarioRunSummary),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "List an agent's scenario runs")
      .annotate(
        OpenApi.Description,
        "Returns runs without their results, newest first. The last 100 runs of an agent are kept.",
      ),
    HttpApiEndpoint.get("get", "/api/agents/:id/scenario-runs/:run_id", {
      params: { ...agent, run_id: Schema.String.annotate({ description: "The run's UUID." }) },
      success: ScenarioRun,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get a scenario run")
      .annotate(
        OpenApi.Description,
        "Returns the run with the transcript, the tool invocations and the checked expectations of each call.",
      ),
  )
  .annotate(OpenApi.Title, "Scenarios")
  .annotate(OpenApi.Description, "Tests of an agent against a simulated caller, before it calls people.")
  .pipe(addAccountMiddleware) {}
