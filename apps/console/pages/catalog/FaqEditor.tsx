/** One FAQ: the question as people ask it, the answer as an agent may say it. */
import { useQuery } from "@tanstack/react-query"
import { FaqChange } from "../../../../src/rpc/inputs/Faqs.ts"
import type { Outputs } from "../../data/AccountPulse.ts"
import { said } from "../../data/Checks.ts"
import { useDraft } from "../../data/Draft.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { Field } from "../../ui/Field.tsx"
import { OneOfCatalog } from "./OneOfCatalog.tsx"

type Faq = Outputs["faqs"]["get"]

export const FaqEditor = ({ faq }: { readonly faq: Faq }) => {
  const rpc = useRpc()
  const client = useRpcClient()
  const draft = useDraft("faq", faq.id, faq)
  const users = useQuery(rpc.faqs.users.queryOptions({ id: faq.id }))
  const { answer, category, name, question } = draft.value
  return (
    <OneOfCatalog
      kind="FAQ"
      saved={faq}
      title={faq.question}
      draft={draft}
      users={users.data}
      schema={FaqChange}
      onSave={(etag) => client.faqs.update.mutate({ ...draft.changes, id: faq.id, etag })}
      onDelete={() => client.faqs.remove.mutate({ id: faq.id })}
      queryKey={rpc.faqs.pathKey()}
    >
      {(problems, mayChange) => (
        <div className="Form">
          <Field
            label="Question"
            rows={2}
            value={question}
            isReadOnly={!mayChange}
            onChange={(typed) => draft.set("question", typed)}
            problem={said(problems["question"])}
            hint="Write it the way callers ask it."
          />
          <Field
            label="Answer"
            rows={6}
            value={answer}
            isReadOnly={!mayChange}
            onChange={(typed) => draft.set("answer", typed)}
            problem={said(problems["answer"])}
            hint="The agent answers in its own words. Changes apply from the next call, also in running campaigns."
          />
          <div className="Form-pair">
            <Field
              label="Category"
              value={category}
              isReadOnly={!mayChange}
              onChange={(typed) => draft.set("category", typed)}
              problem={said(problems["category"])}
            />
            <Field
              label="Name"
              isMono
              value={name}
              isReadOnly={!mayChange || faq.is_default}
              onChange={(typed) => draft.set("name", typed)}
              problem={said(problems["name"])}
            />
          </div>
        </div>
      )}
    </OneOfCatalog>
  )
}
