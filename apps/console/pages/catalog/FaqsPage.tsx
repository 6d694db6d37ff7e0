/** FAQs: questions with their answers, which agents look up in a call. */
import { useQuery } from "@tanstack/react-query"
import { useParams, useSearch } from "@tanstack/react-router"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { useRpc } from "../../data/Rpc.ts"
import { SideListPage } from "../../shell/SideListPage.tsx"
import { Awaiting } from "../../ui/Awaiting.tsx"
import { FaqEditor } from "./FaqEditor.tsx"
import { NewFaq } from "./NewFaq.tsx"
import { shippedWord } from "./Shipped.ts"

const from = "/$account/faqs/{-$name}"
const pageSize = 25
const about = "An FAQ is one question with its answer. An agent that has it finds it with lookup_faq when someone asks."

export const FaqsPage = () => {
  const { slug } = useAccount()
  const mayChange = useMayChange()
  const rpc = useRpc()
  const { name } = useParams({ from })
  const { page = 1, q } = useSearch({ from })
  const list = useQuery(
    rpc.faqs.list.queryOptions({ page: page - 1, page_size: pageSize, ...(q !== undefined && { search: q }) }),
  )
  const chosen = name ?? list.data?.items[0]?.name
  const one = useQuery(rpc.faqs.get.queryOptions({ id: chosen ?? "" }, { enabled: chosen !== undefined }))
  return (
    <SideListPage
      title="FAQs"
      one="FAQ"
      bare={{ to: from, params: { account: slug, name: undefined } }}
      list={list}
      entries={(list.data?.items ?? []).map((faq) => ({
        id: faq.name,
        to: from,
        params: { account: slug, name: faq.name },
        name: faq.question,
        state: shippedWord(faq) ?? faq.answer,
        aside: faq.category,
      }))}
      chosen={chosen}
      opened={name}
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
