/** A new FAQ: its question and its answer; its name comes from the question. */
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { NewFaq as Input } from "../../../../src/rpc/inputs/Faqs.ts"
import { useAccount } from "../../data/Account.tsx"
import { useFields } from "../../data/Fields.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { DraftField } from "../../ui/DraftField.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"

export const NewFaq = ({ onClose }: { readonly onClose: () => void }) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const draft = useFields({ question: "", answer: "" })
  return (
    <FormDialog
      title="New FAQ"
      verb="Create FAQ"
      schema={Input}
      draft={draft}
      onClose={onClose}
      onSubmit={async () => {
        const { id } = await client.faqs.create.mutate(draft.value)
        await queries.invalidateQueries({ queryKey: rpc.faqs.pathKey() })
        onClose()
        await navigate({ to: "/$account/faqs/{-$id}", params: { account: slug, id } })
      }}
    >
      {(form) => (
        <>
          <DraftField form={form} name="question" label="Question" autoFocus hint="Write it the way callers ask it." />
          <DraftField form={form} name="answer" label="Answer" rows={4} />
        </>
      )}
    </FormDialog>
  )
}
