/** Rehearsing an agent, over the router. */
import { Page } from "../domain/Page.ts"
import { ScenarioRun, ScenarioRunSummary } from "../domain/Scenario.ts"
import * as Room from "../rehearsal/ScenarioRuns.ts"
import * as Inputs from "./inputs/ScenarioRuns.ts"
import { mutation, query, router } from "./Procedure.ts"

export const scenarioRuns = router({
  begin: mutation("write", Inputs.ScenarioRunOfAgent, ScenarioRun, ({ agent_id, ...wanted }) =>
    Room.ScenarioRuns.use(({ begin }) => begin(agent_id, wanted)),
  ),
  list: query("read", Inputs.ScenarioRunList, Page(ScenarioRunSummary), ({ agent_id, ...page }) =>
    Room.list(agent_id, page),
  ),
  get: query("read", Inputs.ScenarioRunKey, ScenarioRun, ({ agent_id, run_id }) => Room.find(agent_id, run_id)),
})
