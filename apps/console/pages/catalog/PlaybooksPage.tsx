/** Playbooks: parts of a prompt that agents share, and the tools that they count on. */
import { useQuery } from "@tanstack/react-query"
import { Navigate, useParams, useSearch } from "@tanstack/react-router"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { useRpc } from "../../data/Rpc.ts"
import { SideListPage } from "../../shell/SideListPage.tsx"
import { Awaiting } from "../../ui/Awaiting.tsx"
import { NewPlaybook } from "./NewPlaybook.tsx"
import { PlaybookEditor } from "./PlaybookEditor.tsx"
import { shippedWord } from "./Shipped.ts"

const from = "/$account/playbooks/{-$id}"
const pageSize = 25
const about = "A playbook is a part of a prompt that several agents share, with the tools that it counts on."

export const PlaybooksPage = () => {
  const { slug } = useAccount()
  const mayChange = useMayChange()
  const rpc = useRpc()
  const { id } = useParams({ from })
  const { page = 1, q } = useSearch({ from })
  const list = useQuery(
    rpc.playbooks.list.queryOptions({ page: page - 1, page_size: pageSize, ...(q !== undefined && { search: q }) }),
  )
  const chosen = id ?? list.data?.items[0]?.id
  const one = useQuery(rpc.playbooks.get.queryOptions({ id: chosen ?? "" }, { enabled: chosen !== undefined }))
  if (id !== undefined && one.data !== undefined && one.data.id !== id) {
    return <Navigate to={from} params={{ account: slug, id: one.data.id }} search={(before) => before} replace />
  }
  return (
    <SideListPage
      title="Playbooks"
      one="playbook"
      bare={{ to: from, params: { account: slug, id: undefined } }}
      list={list}
      entries={(list.data?.items ?? []).map((playbook) => ({
        id: playbook.id,
        to: from,
        params: { account: slug, id: playbook.id },
        name: playbook.name,
        state: shippedWord(playbook) ?? playbook.display_name,
        aside: playbook.category,
      }))}
      chosen={chosen}
      opened={id === undefined ? undefined : (one.data?.name ?? "Playbook")}
      mayAdd={mayChange}
      dialog={NewPlaybook}
      about={about}
      search="Filter playbooks"
      note={about}
    >
      {one.data !== undefined && <PlaybookEditor key={one.data.id} playbook={one.data} />}
      <Awaiting of="playbook" asked={one} />
    </SideListPage>
  )
}
