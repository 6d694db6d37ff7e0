/** A new playbook: its name and its first words. */
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { NewPlaybook as Input } from "../../../../src/rpc/inputs/Playbooks.ts"
import { useAccount } from "../../data/Account.tsx"
import { useFields } from "../../data/Fields.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { DraftField } from "../../ui/DraftField.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"

export const NewPlaybook = ({ onClose }: { readonly onClose: () => void }) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const draft = useFields({ name: "", prompt: "" })
  return (
    <FormDialog
      title="New playbook"
      verb="Create playbook"
      schema={Input}
      draft={draft}
      onClose={onClose}
      onSubmit={async () => {
        const { id } = await client.playbooks.create.mutate(draft.value)
        await queries.invalidateQueries({ queryKey: rpc.playbooks.pathKey() })
        onClose()
        await navigate({ to: "/$account/playbooks/{-$id}", params: { account: slug, id } })
      }}
    >
      {(form) => (
        <>
          <DraftField form={form} name="name" label="Name" isMono autoFocus hint="For example recall-booking." />
          <DraftField form={form} name="prompt" label="Text" rows={4} hint="Added after the agent’s own prompt." />
        </>
      )}
    </FormDialog>
  )
}
