/** Creates a playbook from its name and its first text. */
import { NewPlaybook as Input } from "../../../../src/rpc/inputs/Playbooks.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { DraftField } from "../../ui/DraftField.tsx"
import { NewOfCatalog } from "./NewOfCatalog.tsx"

export const NewPlaybook = ({ onClose }: { readonly onClose: () => void }) => {
  const rpc = useRpc()
  const { playbooks } = useRpcClient()
  return (
    <NewOfCatalog
      kind="playbook"
      empty={{ name: "", prompt: "" }}
      schema={Input}
      create={(fields) => playbooks.create.mutate(fields)}
      queryKey={rpc.playbooks.pathKey()}
      onClose={onClose}
    >
      {(form) => (
        <>
          <DraftField form={form} name="name" label="Name" isMono autoFocus hint="For example recall-booking." />
          <DraftField form={form} name="prompt" label="Text" rows={4} hint="Added after the agent’s own prompt." />
        </>
      )}
    </NewOfCatalog>
  )
}
