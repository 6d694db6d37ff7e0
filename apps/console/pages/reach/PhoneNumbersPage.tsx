/** Phone numbers: which ones campaigns dial from, which agent answers them; the chosen one beside the list. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useParams, useSearch } from "@tanstack/react-router"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { useAgentNames } from "../../data/Campaigns.ts"
import { useRpc } from "../../data/Rpc.ts"
import { SideListPage } from "../../shell/SideListPage.tsx"
import { Awaiting } from "../../ui/Awaiting.tsx"
import { dialled } from "../../words/PhoneNumbers.ts"
import { NewNumber } from "./NewNumber.tsx"
import { OneNumber } from "./OneNumber.tsx"

const from = "/$account/phone-numbers/{-$id}"
const pageSize = 25

export const PhoneNumbersPage = () => {
  const { slug } = useAccount()
  const mayChange = useMayChange()
  const rpc = useRpc()
  const agents = useAgentNames()
  const { id } = useParams({ from })
  const { page = 1, q } = useSearch({ from })
  const list = useQuery(
    rpc.phoneNumbers.list.queryOptions(
      { page: page - 1, page_size: pageSize, ...(q !== undefined && { search: q }) },
      { placeholderData: keepPreviousData },
    ),
  )
  const chosen = id ?? list.data?.items[0]?.id
  const one = useQuery(rpc.phoneNumbers.get.queryOptions({ id: chosen ?? "" }, { enabled: chosen !== undefined }))
  return (
    <SideListPage
      title="Phone numbers"
      one="phone number"
      bare={{ to: from, params: { account: slug, id: undefined } }}
      list={list}
      entries={(list.data?.items ?? []).map(({ carrier, id: number_id, inbound_agent_id, label, number }) => ({
        id: number_id,
        to: from,
        params: { account: slug, id: number_id },
        name: <span className="mono">{dialled(number)}</span>,
        state: label === "" ? carrier : `${label} · ${carrier}`,
        aside: inbound_agent_id === null ? "dials only" : `${agents.get(inbound_agent_id) ?? "an agent"} answers`,
      }))}
      chosen={chosen}
      opened={id === undefined || one.data === undefined ? id : dialled(one.data.number)}
      mayAdd={mayChange}
      dialog={NewNumber}
      about="Campaigns dial from a number, and an agent can answer it. A lab number calls nobody real and costs nothing."
      search="Find a number or a label"
      searched="Search by number, however it is written, or by label."
    >
      {one.data !== undefined && <OneNumber key={one.data.id} number={one.data} />}
      <Awaiting of="phone number" asked={one} notFound="There is no phone number with this id in this account." />
    </SideListPage>
  )
}
