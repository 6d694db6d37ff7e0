/** A new FAQ: its question and its answer; its name comes from the question. */
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { NewFaq as Input } from "../../../../src/rpc/inputs/Faqs.ts"
import { useAccount } from "../../data/Account.tsx"
import { said } from "../../data/Checks.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { Field } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"

export const NewFaq = ({ onClose }: { readonly onClose: () => void }) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [value, setValue] = useState({ question: "", answer: "" })
  return (
    <FormDialog
      title="New FAQ"
      verb="Create FAQ"
      schema={Input}
      value={value}
      onClose={onClose}
      onSubmit={async () => {
        const { id } = await client.faqs.create.mutate(value)
        await queries.invalidateQueries({ queryKey: rpc.faqs.pathKey() })
        onClose()
        await navigate({ to: "/$account/faqs/{-$id}", params: { account: slug, id } })
      }}
    >
      {(problems) => (
        <>
          <Field
            label="Question"
            autoFocus
            value={value.question}
            onChange={(question) => setValue({ ...value, question })}
            problem={said(problems["question"])}
            hint="Write it the way callers ask it."
          />
          <Field
            label="Answer"
            rows={4}
            value={value.answer}
            onChange={(answer) => setValue({ ...value, answer })}
            problem={said(problems["answer"])}
          />
        </>
      )}
    </FormDialog>
  )
}
