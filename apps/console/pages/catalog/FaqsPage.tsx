/** FAQs: questions with their answers, which agents look up in a call. */
import { useQuery } from "@tanstack/react-query"
import { Navigate, useParams, useSearch } from "@tanstack/react-router"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { useRpc } from "../../data/Rpc.ts"
import { SideListPage } from "../../shell/SideListPage.tsx"
import { Awaiting } from "../../ui/Awaiting.tsx"
import { FaqEditor } from "./FaqEditor.tsx"
import { NewFaq } from "./NewFaq.tsx"
import { shippedWord } from "./Shipped.ts"

const from = "/$account/faqs/{-$id}"
const pageSize = 25
const about = "An FAQ is one question with its answer. An agent that has it finds it with lookup_faq when someone asks."

export const FaqsPage = () => {
  const { slug } = useAccount()
  const mayChange = useMayChange()
  const rpc = useRpc()
  const { id } = useParams({ from })
  const { page = 1, q } = useSearch({ from })
  const list = useQuery(
    rpc.faqs.list.queryOptions({ page: page - 1, page_size: pageSize, ...(q !== undefined && { search: q }) }),
  )
  const chosen = id ?? list.data?.items[0]?.id
  const one = useQuery(rpc.faqs.get.queryOptions({ id: chosen ?? "" }, { enabled: chosen !== undefined }))
  if (id !== undefined && one.data !== undefined && one.data.id !== id) {
    return <Navigate to={from} params={{ account: slug, id: one.data.id }} search={(before) => before} replace />
  }
  return (
    <SideListPage
      title="FAQs"
      one="FAQ"
      bare={{ to: from, params: { account: slug, id: undefined } }}
      list={list}
      entries={(list.data?.items ?? []).map((faq) => ({
        id: faq.id,
        to: from,
        params: { account: slug, id: faq.id },
        name: faq.question,
        state: shippedWord(faq) ?? faq.answer,
        aside: faq.category,
      }))}
      chosen={chosen}
      opened={id === undefined ? undefined : (one.data?.question ?? "FAQ")}
      mayAdd={mayChange}
      dialog={NewFaq}
      about={about}
      search="Filter FAQs"
      note={about}
    >
      {one.data !== undefined && <FaqEditor key={one.data.id} faq={one.data} />}
      <Awaiting of="FAQ" asked={one} />
    </SideListPage>
  )
}
