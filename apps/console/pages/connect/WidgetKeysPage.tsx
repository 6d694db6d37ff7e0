/**
 * Widget keys, with which a button on a page or a customer's server opens a conversation, and the chosen key's look.
 */
import { useQuery } from "@tanstack/react-query"
import { useParams, useSearch } from "@tanstack/react-router"
import { useAccount, useMayManage } from "../../data/Account.tsx"
import { useAgentNames } from "../../data/Campaigns.ts"
import { useRpc } from "../../data/Rpc.ts"
import { SideListPage } from "../../shell/SideListPage.tsx"
import { OwnersOnly } from "../../ui/OwnersOnly.tsx"
import { counted } from "../../words/Figures.ts"
import { NewWidgetKey } from "./NewWidgetKey.tsx"
import { OneWidgetKey } from "./OneWidgetKey.tsx"

const from = "/$account/widget-keys/{-$id}"
const pageSize = 25

export const WidgetKeysPage = () => {
  const { slug } = useAccount()
  const mayManage = useMayManage()
  const rpc = useRpc()
  const agents = useAgentNames()
  const { id } = useParams({ from })
  const { page = 1 } = useSearch({ from })
  const list = useQuery(
    rpc.widgetKeys.list.queryOptions({ page: page - 1, page_size: pageSize }, { enabled: mayManage }),
  )
  if (!mayManage) return <OwnersOnly what="Widget keys" />
  const chosen = list.data?.items.find((one) => id === undefined || one.id === id)
  return (
    <SideListPage
      title="Widget keys"
      one="widget key"
      bare={{ to: from, params: { account: slug, id: undefined } }}
      list={list}
      entries={(list.data?.items ?? []).map((key) => ({
        id: key.id,
        to: from,
        params: { account: slug, id: key.id },
        name: key.name,
        state: agents.get(key.agent_id) ?? "an agent",
        aside: key.kind === "public" ? counted(key.origins.length, "origin") : "for a server",
      }))}
      chosen={chosen?.id}
      opened={id === undefined || chosen === undefined ? id : chosen.name}
      mayAdd
      dialog={NewWidgetKey}
      about="A widget key puts an agent on your pages with one script tag. Visitors can chat or talk with it."
      note="Keys can’t be edited. Create a new key, put it on your pages, then revoke the old one."
    >
      {chosen !== undefined && <OneWidgetKey key={chosen.id} item={chosen} agent={agents.get(chosen.agent_id)} />}
      {list.data !== undefined && id !== undefined && chosen === undefined && (
        <p className="quiet">There is no widget key with this id on this page of the list.</p>
      )}
    </SideListPage>
  )
}
