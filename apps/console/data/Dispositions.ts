/** The dispositions of an agent, and how many of a campaign's calls have each. */
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { useRpc } from "./Rpc.ts"

export interface DispositionCount {
  readonly key: string
  /** The key, if the agent has the disposition no longer. */
  readonly label: string
  readonly isFinal: boolean
  readonly calls: number
}

const none: Readonly<Record<string, number>> = {}
const staleTime = 60_000

/** In the order of the agent, and then those that only the counts have. Empty without an agent. */
export const useDispositions = (agent_id: string | undefined, counts = none): ReadonlyArray<DispositionCount> => {
  const rpc = useRpc()
  const { data } = useQuery(
    rpc.agents.get.queryOptions({ id: agent_id ?? "" }, { enabled: agent_id !== undefined, staleTime }),
  )
  return useMemo(() => {
    const listed = data?.dispositions ?? []
    const removed = Object.keys(counts).filter((key) => !listed.some((one) => one.key === key))
    return [...listed, ...removed.map((key) => ({ key, label: key, final: false }))].map(({ final, key, label }) => ({
      key,
      label,
      isFinal: final === true,
      calls: counts[key] ?? 0,
    }))
  }, [data, counts])
}
