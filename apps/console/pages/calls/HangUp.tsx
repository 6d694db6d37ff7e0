/** Ends a call in progress, after a confirmation. */
import { useQueryClient } from "@tanstack/react-query"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { OutcomeGlyph } from "../../figures/OutcomeGlyph.tsx"
import { Confirm } from "../../ui/Confirm.tsx"

export interface HangUpProps {
  readonly id: string
  readonly name: string
  readonly isOpen: boolean
  readonly onClose: () => void
}

export const HangUp = ({ id, isOpen, name, onClose }: HangUpProps) => {
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  return (
    <Confirm
      question={`Hang up on ${name}?`}
      lines={[
        { icon: <OutcomeGlyph of="in_call" />, text: "The call ends at once, even in mid-sentence." },
        { icon: <OutcomeGlyph of="skipped" />, text: "The transcript so far is kept." },
      ]}
      verb="Hang up"
      leave="Cancel"
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={async () => {
        await client.calls.hangUp.mutate({ id })
        await queries.invalidateQueries({ queryKey: rpc.calls.pathKey() })
      }}
    />
  )
}
