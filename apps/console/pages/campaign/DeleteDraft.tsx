/** The confirmation before a draft and its contacts are deleted. */
import { IconX } from "@tabler/icons-react"
import { type Campaign, useCampaignActs } from "../../data/Campaigns.ts"
import { notice } from "../../shell/Notices.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { counted } from "../../words/Figures.ts"

export interface DeleteDraftProps {
  readonly campaign: Pick<Campaign, "id" | "name" | "counts">
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onDeleted?: () => void
}

export const DeleteDraft = ({ campaign, isOpen, onClose, onDeleted }: DeleteDraftProps) => {
  const { remove } = useCampaignActs()
  const { counts, id, name } = campaign
  return (
    <Confirm
      question={`Delete ${name}?`}
      lines={[
        {
          icon: <IconX size={14} aria-hidden />,
          text: `Its ${counted(counts.total, "contact")} go with it. Nobody was called.`,
        },
      ]}
      verb="Delete the draft"
      leave="Keep it"
      onConfirm={async () => {
        await remove.mutateAsync({ id })
        notice({ text: `${name} is deleted.` })
        onDeleted?.()
      }}
      isOpen={isOpen}
      onClose={onClose}
    />
  )
}
