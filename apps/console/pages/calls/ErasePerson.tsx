/** Asks before everything stored about a person is deleted, and says what was removed. */
import { IconTrash, IconBan, IconUsers } from "@tabler/icons-react"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useMayChange } from "../../data/Account.tsx"
import { useRpcClient } from "../../data/Rpc.ts"
import { notice } from "../../shell/Notices.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { counted } from "../../words/Figures.ts"
import { formatNumber } from "../../words/PhoneNumbers.ts"

export interface ErasePersonProps {
  readonly number: string
  readonly size?: "row"
  readonly onErased?: () => void
}

export const ErasePerson = ({ number, onErased, size }: ErasePersonProps) => {
  const mayChange = useMayChange()
  const client = useRpcClient()
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  if (!mayChange) return null
  const shown = formatNumber(number)
  return (
    <>
      <Button
        look="stop"
        {...(size !== undefined && { size })}
        icon={<IconTrash aria-hidden />}
        onPress={() => setAsking(true)}
      >
        Erase person…
      </Button>
      <Confirm
        question={`Erase everything about ${shown}?`}
        lines={[
          {
            icon: <IconTrash size={14} aria-hidden />,
            text: "Every call with this number is deleted, with its transcript and recording. This cannot be undone.",
          },
          {
            icon: <IconUsers size={14} aria-hidden />,
            text: "Campaigns keep a row without a name or number, so their counts stay right. A row that still waits is skipped.",
          },
          {
            icon: <IconBan size={14} aria-hidden />,
            text: "If the number is on the do-not-call list, it is still never called, but no longer shown there.",
          },
        ]}
        verb="Erase the person"
        leave="Keep it all"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          const { calls, contacts, recordings } = await client.people.erase.mutate({ phone_number: number })
          onErased?.()
          await queries.invalidateQueries()
          const parts = [counted(calls, "call"), counted(recordings, "recording"), counted(contacts, "contact")]
          notice({ text: `${shown} is erased: ${parts.join(", ")}.` })
        }}
      />
    </>
  )
}
