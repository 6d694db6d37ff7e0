/** Whole lists of the account, for the names beside ids and in texts. A menu searches the server instead. */
import { useQuery } from "@tanstack/react-query"
import type { Outputs } from "./AccountPulse.ts"
import { every, pageSize } from "./Every.ts"
import { useRpc, useRpcClient } from "./Rpc.ts"

type ItemOf<Resource extends "agents" | "tools"> = Outputs[Resource]["list"]["items"][number]

/** Under the list's own key, so that what makes the list anew makes this anew. */
const whole = { type: "every" }

export const useEveryAgent = (): ReadonlyArray<ItemOf<"agents">> | undefined => {
  const rpc = useRpc()
  const { agents } = useRpcClient()
  return useQuery({
    queryKey: [...rpc.agents.list.pathKey(), whole],
    queryFn: ({ signal }) =>
      every(
        (page) => agents.list.query({ page, page_size: pageSize }, { signal }),
        ({ id }): string => id,
      ),
    staleTime: 60_000,
  }).data
}

export const useEveryTool = (): ReadonlyArray<ItemOf<"tools">> | undefined => {
  const rpc = useRpc()
  const { tools } = useRpcClient()
  return useQuery({
    queryKey: [...rpc.tools.list.pathKey(), whole],
    queryFn: ({ signal }) =>
      every(
        (page) => tools.list.query({ page, page_size: pageSize }, { signal }),
        ({ id }): string => id,
      ),
  }).data
}
