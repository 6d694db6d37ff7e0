/** Asks before a contact is withdrawn from its campaign: it is not called any more, and cannot be put back. */
import { IconUserMinus } from "@tabler/icons-react"
import { useState } from "react"
import { useMayChange } from "../../data/Account.tsx"
import type { Outputs } from "../../data/AccountPulse.ts"
import { useRefreshCampaigns } from "../../data/Campaigns.ts"
import { nameOf } from "../../data/Contacts.ts"
import { useRpcClient } from "../../data/Rpc.ts"
import { OutcomeGlyph } from "../../figures/OutcomeGlyph.tsx"
import { notice } from "../../shell/Notices.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { useCampaign } from "./CurrentCampaign.ts"

export interface WithdrawContactProps {
  readonly contact: Outputs["campaigns"]["contacts"]["get"]
}

export const WithdrawContact = ({ contact }: WithdrawContactProps) => {
  const campaign = useCampaign()
  const mayChange = useMayChange()
  const client = useRpcClient()
  const refresh = useRefreshCampaigns()
  const [isAsking, setAsking] = useState(false)
  const isOpen = contact.status === "pending" || contact.status === "in_progress"
  if (!mayChange || !isOpen || contact.withdrawn_at !== null) return null
  const name = nameOf(contact)
  return (
    <>
      <Button look="stop" size="row" icon={<IconUserMinus aria-hidden />} onPress={() => setAsking(true)}>
        Withdraw…
      </Button>
      <Confirm
        question={`Withdraw ${name} from this campaign?`}
        lines={[
          contact.status === "in_progress"
            ? { icon: <OutcomeGlyph of="in_call" />, text: "The call in progress continues. No retry follows." }
            : { icon: <OutcomeGlyph of="skipped" />, text: "The contact is skipped and will not be called." },
          {
            icon: <IconUserMinus size={14} aria-hidden />,
            text: "It cannot be put back. Other campaigns may still call the number.",
          },
        ]}
        verb="Withdraw the contact"
        leave="Keep it"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await client.campaigns.contacts.withdraw.mutate({ campaign_id: campaign.id, contact_id: contact.id })
          await refresh()
          notice({ text: `${name} is withdrawn.` })
        }}
      />
    </>
  )
}
