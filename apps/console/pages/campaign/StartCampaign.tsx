/** Asks before people are called from a row of a list, where the campaign itself is not in view. */
import { IconPhone } from "@tabler/icons-react"
import type { Campaign } from "../../data/Campaigns.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog, DialogActs } from "../../ui/Dialog.tsx"
import { count } from "../../words/Figures.ts"
import { hoursWords } from "./SettingsLine.ts"

export interface StartCampaignProps {
  readonly campaign: Campaign
  readonly isOpen: boolean
  readonly onStart: () => void
  readonly onClose: () => void
}

export const StartCampaign = ({ campaign, isOpen, onClose, onStart }: StartCampaignProps) => {
  const { calling_window, counts, name } = campaign
  const people = `${count(counts.pending)} ${counts.pending === 1 ? "person" : "people"}`
  return (
    <Dialog title={`Start calling ${people}?`} isOpen={isOpen} onClose={onClose} isAlert isDismissable={false}>
      <p className="quiet">
        {name} dials {hoursWords(calling_window)}. The first calls begin at once if these hours are open.
      </p>
      <DialogActs>
        <Button
          look="primary"
          icon={<IconPhone aria-hidden />}
          onPress={() => {
            onClose()
            onStart()
          }}
        >
          Start calling {people}
        </Button>
        <Button look="quiet" autoFocus shortcut="esc" onPress={onClose}>
          Cancel
        </Button>
      </DialogActs>
    </Dialog>
  )
}
