/** Whole lists of the account, for counts and for names beside ids. Menus search the server instead. */
import { type QueryKey, queryOptions, useQuery } from "@tanstack/react-query"
import type { Outputs } from "./AccountPulse.ts"
import { every, type ListPage, pageSize } from "./Every.ts"
import { useRpc, useRpcClient } from "./Rpc.ts"

type ItemOf<Resource extends "agents" | "tools"> = Outputs[Resource]["list"]["items"][number]

interface WholeListOptions<Item, Filter extends object> {
  /** The path key of the list: invalidating the list reloads the whole list as well. */
  readonly under: QueryKey
  readonly list: {
    readonly query: (
      asked: Filter & { readonly page: number; readonly page_size: number },
      options: { readonly signal: AbortSignal },
    ) => Promise<ListPage<Item>>
  }
  readonly filter: Filter
  readonly keyOf: (item: Item) => string
}

/** Reads every page of a list. */
export const wholeList = <Item, Filter extends object>({
  filter,
  keyOf,
  list,
  under,
}: WholeListOptions<Item, Filter>) =>
  queryOptions({
    queryKey: [...under, { type: "every", ...filter }],
    queryFn: ({ signal }) => every((page) => list.query({ ...filter, page, page_size: pageSize }, { signal }), keyOf),
  })

export const idOf = ({ id }: { readonly id: string }): string => id

export const useEveryAgent = (): ReadonlyArray<ItemOf<"agents">> | undefined => {
  const rpc = useRpc()
  const { agents } = useRpcClient()
  const list = wholeList({ under: rpc.agents.list.pathKey(), list: agents.list, filter: {}, keyOf: idOf })
  return useQuery({ ...list, staleTime: 60_000 }).data
}

export const useEveryTool = (): ReadonlyArray<ItemOf<"tools">> | undefined => {
  const rpc = useRpc()
  const { tools } = useRpcClient()
  return useQuery(wholeList({ under: rpc.tools.list.pathKey(), list: tools.list, filter: {}, keyOf: idOf })).data
}
