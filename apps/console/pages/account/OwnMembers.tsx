/** The members of the open account, for one of its owners. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useAccount } from "../../data/Account.tsx"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { wholeList } from "../../data/WholeLists.ts"
import { Members, memberKey } from "../../members/Members.tsx"
import { useOrganisation } from "../../session/Organisation.ts"
import { Panel, PanelBody } from "../../ui/Panel.tsx"

export const OwnMembers = () => {
  const { name } = useAccount()
  const rpc = useRpc()
  const { account } = useRpcClient()
  const queries = useQueryClient()
  const { data } = useOrganisation()
  const list = useQuery(
    wholeList({
      under: rpc.account.settings.members.list.pathKey(),
      list: account.settings.members.list,
      filter: {},
      keyOf: memberKey,
    }),
  )
  const again = () => queries.invalidateQueries({ queryKey: rpc.account.settings.members.pathKey() })
  return (
    <Panel title="People">
      <PanelBody>
        <Members
          name={name}
          own={data?.email ?? null}
          list={list}
          put={(member) => account.settings.members.put.mutate(member).then(again)}
          remove={(member) => account.settings.members.remove.mutate(member).then(again)}
        />
      </PanelBody>
    </Panel>
  )
}
