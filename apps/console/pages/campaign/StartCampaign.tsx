/** The confirmation before a campaign is started from a list, where its details are not in view. */
import { IconPhone } from "@tabler/icons-react"
import type { Campaign } from "../../data/Campaigns.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog, DialogActs } from "../../ui/Dialog.tsx"
import { counted } from "../../words/Figures.ts"
import { useCalledPeople } from "../new-campaign/Preflights.ts"
import { hoursWords, useHours } from "./SettingsLine.ts"

export interface StartCampaignProps {
  readonly campaign: Campaign
  readonly isOpen: boolean
  readonly onStart: () => void
  readonly onClose: () => void
}

/** Loads figures only while it is open, since each row of a list has one. */
export const StartCampaign = (props: StartCampaignProps) => props.isOpen && <Asking {...props} />

const Asking = ({ campaign, isOpen, onClose, onStart }: StartCampaignProps) => {
  const { id, name } = campaign
  const hours = useHours(campaign)
  const called = useCalledPeople(id)
  const people = called === undefined ? `the people of ${name}` : counted(called, "person", "people")
  return (
    <Dialog title={`Start calling ${people}?`} isOpen={isOpen} onClose={onClose} isAlert isDismissable={false}>
      <p className="quiet">
        {hours !== undefined && `${name} dials ${hoursWords(hours)}. `}
        The first calls begin at once{hours === null ? "." : " if these hours are open."}
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
