/** Scenario runs over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ScenarioRuns from "../rehearsal/ScenarioRuns.ts"
import { Api } from "./Api.ts"
import { withLocation } from "./edge/Resource.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "scenario-runs",
  Effect.fnUntraced(function* (handlers) {
    const runs = yield* ScenarioRuns.ScenarioRuns
    return handlers.handleAll({
      begin: ({ params, payload }) =>
        Effect.flatMap(runs.begin(params.id, payload), (run) =>
          withLocation(`/api/agents/${run.agent_id}/scenario-runs/${run.id}`, run),
        ),
      list: ({ params, query }) => ScenarioRuns.list(params.id, query),
      get: ({ params }) => ScenarioRuns.find(params.id, params.run_id),
    })
  }),
)
