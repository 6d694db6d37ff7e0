/** A new playbook: its name and its first words. */
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { NewPlaybook as Input } from "../../../../src/rpc/inputs/Playbooks.ts"
import { useAccount } from "../../data/Account.tsx"
import { said } from "../../data/Checks.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { Field } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"

export const NewPlaybook = ({ onClose }: { readonly onClose: () => void }) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [value, setValue] = useState({ name: "", prompt: "" })
  return (
    <FormDialog
      title="New playbook"
      verb="Create playbook"
      schema={Input}
      value={value}
      onClose={onClose}
      onSubmit={async () => {
        const { id } = await client.playbooks.create.mutate(value)
        await queries.invalidateQueries({ queryKey: rpc.playbooks.pathKey() })
        onClose()
        await navigate({ to: "/$account/playbooks/{-$id}", params: { account: slug, id } })
      }}
    >
      {(problems) => (
        <>
          <Field
            label="Name"
            isMono
            autoFocus
            value={value.name}
            onChange={(name) => setValue({ ...value, name })}
            problem={said(problems["name"])}
            hint="For example recall-booking."
          />
          <Field
            label="Text"
            rows={4}
            value={value.prompt}
            onChange={(prompt) => setValue({ ...value, prompt })}
            problem={said(problems["prompt"])}
            hint="Added after the agent’s own prompt."
          />
        </>
      )}
    </FormDialog>
  )
}
