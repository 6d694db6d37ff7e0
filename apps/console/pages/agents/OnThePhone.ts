/** The agents' versions that running campaigns use: a campaign keeps the version that it started with. */
import { useQuery } from "@tanstack/react-query"
import type { Outputs } from "../../data/AccountPulse.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { idOf, wholeList } from "../../data/WholeLists.ts"

export interface OnThePhone {
  readonly version: number
  readonly campaigns: number
}

/** Reads the campaigns of one agent, or of every agent if `agent_id` is left out. */
export const useOnThePhone = (agent_id?: Outputs["agents"]["get"]["id"]) => {
  const rpc = useRpc()
  const client = useRpcClient()
  const listOf = (status: "running" | "paused") =>
    wholeList({
      under: rpc.campaigns.list.pathKey(),
      list: client.campaigns.list,
      filter: { status, ...(agent_id !== undefined && { agent_id }) },
      keyOf: idOf,
    })
  const running = useQuery(listOf("running"))
  const paused = useQuery(listOf("paused"))
  const campaigns = [...(running.data ?? []), ...(paused.data ?? [])]
  return {
    of: (agentId: string): ReadonlyArray<OnThePhone> => {
      const counts = new Map<number, number>()
      for (const { agent_id, agent_version } of campaigns) {
        if (agent_id === agentId && agent_version !== null)
          counts.set(agent_version, (counts.get(agent_version) ?? 0) + 1)
      }
      return [...counts]
        .map(([version, count]) => ({ version, campaigns: count }))
        .sort((a, b) => b.version - a.version)
    },
  }
}
