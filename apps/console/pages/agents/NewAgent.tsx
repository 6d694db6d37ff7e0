/** Creates an agent from its name. Its prompt is edited on its page. */
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { NewAgent as Input } from "../../../../src/rpc/inputs/Agents.ts"
import { useAccount } from "../../data/Account.tsx"
import { useFields } from "../../data/Fields.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { DraftField } from "../../ui/DraftField.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"

/** A first prompt and greeting to start from. Both are templates. */
const beginning = (name: string, account: string) => ({
  first_message: `Hi {{first_name | default: "there"}}, this is ${name}, the virtual assistant of ${account}. Is this a good moment?`,
  system_prompt: [
    `You are ${name}, the virtual assistant of ${account}.`,
    'You call {{first_name | default: "the customer"}}.',
    "",
    "## Goal",
    "Say what the call is for, and answer questions about it.",
    "",
    "## Manners",
    "- Say in the first sentence that you are a virtual assistant.",
    "- One question at a time. At most two sentences a turn.",
  ].join("\n"),
})

/** Every agent needs to hang up, to record an opt-out and to record the outcome, so these tools are on. */
const firstTools = ["end_call", "add_to_do_not_call", "record_outcome"]

export const NewAgent = ({ onClose }: { readonly onClose: () => void }) => {
  const { name: account, slug } = useAccount()
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const draft = useFields({ name: "", description: "" })
  const value = { ...draft.value, ...beginning(draft.value.name, account) }
  return (
    <FormDialog
      title="New agent"
      verb="Make the agent"
      schema={Input}
      draft={draft}
      value={value}
      onClose={onClose}
      onSubmit={async () => {
        const { id } = await client.agents.create.mutate(value)
        const tools = firstTools.map((tool_name) => ({ tool_name, config: {}, enabled: true }))
        await client.agents.save.mutate({ id, kit: { tools } })
        await queries.invalidateQueries({ queryKey: rpc.agents.pathKey() })
        await navigate({ to: "/$account/agents/$id/{-$tab}", params: { account: slug, id, tab: "prompt" } })
      }}
    >
      {(form) => (
        <>
          <DraftField form={form} name="name" label="Name" autoFocus hint="Callers hear this name." />
          <DraftField
            form={form}
            name="description"
            label="What it is for"
            hint="For colleagues. The agent does not read it."
          />
        </>
      )}
    </FormDialog>
  )
}
