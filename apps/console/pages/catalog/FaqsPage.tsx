/** FAQs: questions and answers that agents look up during a call. */
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { SearchedListPage } from "../../shell/SearchedListPage.tsx"
import { FaqEditor } from "./FaqEditor.tsx"
import { NewFaq } from "./NewFaq.tsx"
import { shippedWord } from "./Shipped.ts"

const about = "An FAQ is one question with its answer. An agent that has it finds it with lookup_faq when someone asks."

export const FaqsPage = () => {
  const rpc = useRpc()
  const { faqs } = useRpcClient()
  return (
    <SearchedListPage
      title="FAQs"
      one="FAQ"
      to="/$account/faqs/{-$id}"
      under={rpc.faqs.pathKey()}
      from={faqs}
      nameOf={({ question }) => question}
      entryOf={(faq) => ({ name: faq.question, state: shippedWord(faq) ?? faq.answer, aside: faq.category })}
      dialog={NewFaq}
      about={about}
      search="Filter FAQs"
      note={about}
    >
      {(faq) => <FaqEditor key={faq.id} faq={faq} />}
    </SearchedListPage>
  )
}
