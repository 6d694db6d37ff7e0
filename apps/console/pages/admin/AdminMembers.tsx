/** The members of any account, for an administrator of the platform. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { wholeList } from "../../data/WholeLists.ts"
import { Members, memberKey } from "../../members/Members.tsx"

export const AdminMembers = ({ account, name }: { readonly account: string; readonly name: string }) => {
  const rpc = useRpc()
  const { accounts } = useRpcClient()
  const queries = useQueryClient()
  const list = useQuery(
    wholeList({
      under: rpc.accounts.members.list.pathKey(),
      list: accounts.members.list,
      filter: { account },
      keyOf: memberKey,
    }),
  )
  const again = () => queries.invalidateQueries({ queryKey: rpc.accounts.members.pathKey() })
  return (
    <Members
      name={name}
      list={list}
      put={(member) => accounts.members.put.mutate({ account, ...member }).then(again)}
      remove={(member) => accounts.members.remove.mutate({ account, ...member }).then(again)}
    />
  )
}
