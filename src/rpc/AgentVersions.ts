/** The versions of an agent over the router. */
import { Effect } from "effect"
import * as AgentRestore from "../catalog/AgentRestore.ts"
import * as Catalog from "../catalog/AgentVersions.ts"
import { AgentVersion, AgentVersionDiff, AgentVersionSummary } from "../domain/AgentVersion.ts"
import { Page } from "../domain/Page.ts"
import * as Inputs from "./inputs/AgentVersions.ts"
import { mutation, query, router } from "./Procedure.ts"

export const agentVersions = router({
  list: query("read", Inputs.AgentVersionList, Page(AgentVersionSummary), ({ agent_id, ...page }) =>
    Catalog.list(agent_id, page),
  ),
  get: query("read", Inputs.AgentVersionKey, AgentVersion, ({ agent_id, version }) => Catalog.find(agent_id, version)),
  diff: query("read", Inputs.AgentVersionComparison, AgentVersionDiff, ({ against, agent_id, version }) =>
    Catalog.diff(agent_id, version, against),
  ),
  restore: mutation("write", Inputs.AgentVersionReturn, AgentVersion, ({ agent_id, version, ...policy }) =>
    Effect.map(AgentRestore.restore(agent_id, version, policy), (restored) => restored.version),
  ),
})
