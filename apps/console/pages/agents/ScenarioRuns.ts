/** The scenario runs of an agent, newest first. Refetched while a run is in progress. */
import { useQuery } from "@tanstack/react-query"
import type { Outputs } from "../../data/AccountPulse.ts"
import { useRpc } from "../../data/Rpc.ts"

export type Run = Outputs["agents"]["scenarioRuns"]["get"]
export type RunSummary = Outputs["agents"]["scenarioRuns"]["list"]["items"][number]

const beat = 1_000

export const useRuns = (agent_id: string) => {
  const rpc = useRpc()
  return useQuery(
    rpc.agents.scenarioRuns.list.queryOptions(
      { agent_id, page_size: 10 },
      { refetchInterval: ({ state }) => (state.data?.items.some(({ status }) => status === "running") ? beat : false) },
    ),
  )
}

export const useRun = (agent_id: string, run_id: string | undefined) => {
  const rpc = useRpc()
  return useQuery(
    rpc.agents.scenarioRuns.get.queryOptions(
      { agent_id, run_id: run_id ?? "" },
      {
        enabled: run_id !== undefined,
        refetchInterval: ({ state }) => (state.data?.status === "running" ? beat : false),
      },
    ),
  )
}

/** The counts of the newest run. Undefined before the first. */
export const useScenarioScore = (agent_id: string): RunSummary["counts"] | undefined =>
  useRuns(agent_id).data?.items[0]?.counts
