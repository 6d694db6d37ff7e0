/** Creates an FAQ from its question and its answer. Its name comes from the question. */
import { NewFaq as Input } from "../../../../src/rpc/inputs/Faqs.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { DraftField } from "../../ui/DraftField.tsx"
import { NewOfCatalog } from "./NewOfCatalog.tsx"

export const NewFaq = ({ onClose }: { readonly onClose: () => void }) => {
  const rpc = useRpc()
  const { faqs } = useRpcClient()
  return (
    <NewOfCatalog
      kind="FAQ"
      empty={{ question: "", answer: "" }}
      schema={Input}
      create={(fields) => faqs.create.mutate(fields)}
      queryKey={rpc.faqs.pathKey()}
      onClose={onClose}
    >
      {(form) => (
        <>
          <DraftField form={form} name="question" label="Question" autoFocus hint="Write it the way callers ask it." />
          <DraftField form={form} name="answer" label="Answer" rows={4} />
        </>
      )}
    </NewOfCatalog>
  )
}
