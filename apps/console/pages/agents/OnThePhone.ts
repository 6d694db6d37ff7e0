/** Which version of which agent campaigns call with now: a campaign keeps the one it started with. */
import { useQuery } from "@tanstack/react-query"
import { useRpc } from "../../data/Rpc.ts"

export interface OnThePhone {
  readonly version: number
  readonly campaigns: number
}

export const useOnThePhone = () => {
  const rpc = useRpc()
  const of = (status: "running" | "paused") => rpc.campaigns.list.queryOptions({ page_size: 100, status })
  const running = useQuery(of("running"))
  const paused = useQuery(of("paused"))
  const campaigns = [...(running.data?.items ?? []), ...(paused.data?.items ?? [])]
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
