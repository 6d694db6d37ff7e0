/** What the command box finds by name beyond the pages: campaigns and agents. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { stateOf, stateWord } from "../figures/StateSign.tsx"
import { useRpc } from "./Rpc.ts"

export interface Find {
  readonly word: string
  readonly aside: string
  readonly to: string
  readonly params: Record<string, string>
}

const shown = 5

export const useFinds = (typed: string): ReadonlyArray<Find> => {
  const rpc = useRpc()
  const search = typed.trim()
  const kept = { enabled: search !== "", placeholderData: keepPreviousData, staleTime: 10_000 }
  const { data: campaigns } = useQuery(rpc.campaigns.list.queryOptions({ search, page_size: shown }, kept))
  const { data: agents } = useQuery(rpc.agents.list.queryOptions({ search, page_size: shown }, kept))
  if (search === "") return []
  return [
    ...(campaigns?.items ?? []).map((campaign) => ({
      word: campaign.name,
      aside: stateWord(stateOf(campaign)).toLowerCase(),
      to: "/$account/campaigns/$id",
      params: { id: campaign.id },
    })),
    ...(agents?.items ?? []).map(({ id, name }) => ({
      word: name,
      aside: "agent",
      to: "/$account/agents/$id/{-$tab}",
      params: { id },
    })),
  ]
}
