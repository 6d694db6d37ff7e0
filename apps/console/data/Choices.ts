/** What there is to choose from: all agents, numbers, tools and playbooks of the account. */
import { useQuery } from "@tanstack/react-query"
import type { Outputs } from "./AccountPulse.ts"
import { every, pageSize } from "./Every.ts"
import { useRpc, useRpcClient } from "./Rpc.ts"

type ItemOf<Resource extends "agents" | "phoneNumbers" | "tools" | "playbooks"> =
  Outputs[Resource]["list"]["items"][number]

/** Under the list's own key, so that what makes the list anew makes this anew. */
const whole = { type: "every" }
const staleTime = 60_000

export const useEveryAgent = (): ReadonlyArray<ItemOf<"agents">> | undefined => {
  const rpc = useRpc()
  const { agents } = useRpcClient()
  return useQuery({
    queryKey: [...rpc.agents.list.pathKey(), whole],
    queryFn: ({ signal }) => every((page) => agents.list.query({ page, page_size: pageSize }, { signal })),
    staleTime,
  }).data
}

export const useEveryNumber = (): ReadonlyArray<ItemOf<"phoneNumbers">> | undefined => {
  const rpc = useRpc()
  const { phoneNumbers } = useRpcClient()
  return useQuery({
    queryKey: [...rpc.phoneNumbers.list.pathKey(), whole],
    queryFn: ({ signal }) => every((page) => phoneNumbers.list.query({ page, page_size: pageSize }, { signal })),
    staleTime,
  }).data
}

export const useEveryTool = (): ReadonlyArray<ItemOf<"tools">> | undefined => {
  const rpc = useRpc()
  const { tools } = useRpcClient()
  return useQuery({
    queryKey: [...rpc.tools.list.pathKey(), whole],
    queryFn: ({ signal }) => every((page) => tools.list.query({ page, page_size: pageSize }, { signal })),
  }).data
}

export const useEveryPlaybook = (): ReadonlyArray<ItemOf<"playbooks">> | undefined => {
  const rpc = useRpc()
  const { playbooks } = useRpcClient()
  return useQuery({
    queryKey: [...rpc.playbooks.list.pathKey(), whole],
    queryFn: ({ signal }) => every((page) => playbooks.list.query({ page, page_size: pageSize }, { signal })),
  }).data
}
