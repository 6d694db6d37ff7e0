/** The confirmation before a campaign is stopped, with the consequences in figures. */
import { IconX } from "@tabler/icons-react"
import { type Campaign, useCampaignActs } from "../../data/Campaigns.ts"
import { OutcomeGlyph } from "../../figures/OutcomeGlyph.tsx"
import { notice } from "../../shell/Notices.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { counted } from "../../words/Figures.ts"

export interface StopCampaignProps {
  readonly campaign: Pick<Campaign, "id" | "name" | "counts" | "status">
  readonly isOpen: boolean
  readonly onClose: () => void
}

export const StopCampaign = ({ campaign, isOpen, onClose }: StopCampaignProps) => {
  const { pause, stop } = useCampaignActs()
  const { counts, id, name, status } = campaign
  return (
    <Confirm
      question={`Stop ${name}?`}
      lines={[
        {
          icon: <OutcomeGlyph of="skipped" />,
          text: `${counted(counts.pending, "contact")} ${counts.pending === 1 ? "is" : "are"} skipped and will not be called.`,
        },
        ...(counts.in_progress === 0
          ? []
          : [
              {
                icon: <OutcomeGlyph of="in_call" />,
                text: `${counted(counts.in_progress, "call")} in progress ${counts.in_progress === 1 ? "continues" : "continue"}.`,
              },
            ]),
        { icon: <IconX size={14} aria-hidden />, text: "It cannot be started again. Pause can." },
      ]}
      verb="Stop the campaign"
      leave={status === "running" ? "Keep dialling" : "Keep it"}
      {...(status === "running" && {
        instead: { word: "Pause instead", onAct: () => pause.mutateAsync({ id }) },
      })}
      onConfirm={async () => {
        await stop.mutateAsync({ id })
        notice({ text: `${name} is stopped.` })
      }}
      isOpen={isOpen}
      onClose={onClose}
    />
  )
}
