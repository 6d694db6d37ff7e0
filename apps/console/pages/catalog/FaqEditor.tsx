/** One FAQ: the question as callers ask it, the answer as an agent may say it. */
import { useQuery } from "@tanstack/react-query"
import { FaqChange } from "../../../../src/rpc/inputs/Faqs.ts"
import type { Outputs } from "../../data/AccountPulse.ts"
import { useDraft } from "../../data/Draft.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { DraftField } from "../../ui/DraftField.tsx"
import { OneOfCatalog } from "./OneOfCatalog.tsx"

type Faq = Outputs["faqs"]["get"]

export const FaqEditor = ({ faq }: { readonly faq: Faq }) => {
  const rpc = useRpc()
  const client = useRpcClient()
  const draft = useDraft("faq", faq.id, faq)
  const users = useQuery(rpc.faqs.users.queryOptions({ id: faq.id }))
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
      {(form) => (
        <div className="Form">
          <DraftField form={form} name="question" label="Question" rows={2} hint="Write it the way callers ask it." />
          <DraftField
            form={form}
            name="answer"
            label="Answer"
            rows={6}
            hint="The agent answers in its own words. Changes apply from the next call, also in running campaigns."
          />
          <div className="Form-pair">
            <DraftField form={form} name="category" label="Category" />
            <DraftField form={form} name="name" label="Name" isMono isReadOnly={faq.is_default} />
          </div>
        </div>
      )}
    </OneOfCatalog>
  )
}
