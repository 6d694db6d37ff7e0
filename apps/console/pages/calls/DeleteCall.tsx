/** Asks before a call that has ended is deleted. */
import { IconTrash } from "@tabler/icons-react"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { OutcomeGlyph } from "../../figures/OutcomeGlyph.tsx"
import { notice } from "../../shell/Notices.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"

export interface DeleteCallProps {
  readonly id: string
  readonly name: string
  readonly onDeleted: () => void
}

export const DeleteCall = ({ id, name, onDeleted }: DeleteCallProps) => {
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button look="stop" icon={<IconTrash aria-hidden />} onPress={() => setAsking(true)}>
        Delete…
      </Button>
      <Confirm
        question={`Delete the call with ${name}?`}
        lines={[
          {
            icon: <IconTrash size={14} aria-hidden />,
            text: "Its transcript and recording go with it. This cannot be undone.",
          },
          { icon: <OutcomeGlyph of="skipped" />, text: "The counts and cost of its campaign stay as they are." },
        ]}
        verb="Delete the call"
        leave="Keep it"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await client.calls.remove.mutate({ id })
          onDeleted()
          await queries.invalidateQueries({ queryKey: rpc.calls.list.pathKey() })
          notice({ text: `The call with ${name} is deleted.` })
        }}
      />
    </>
  )
}
