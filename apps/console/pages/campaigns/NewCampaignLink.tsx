/** The link to a new campaign. `C` does the same. */
import { IconPlus } from "@tabler/icons-react"
import { useNavigate } from "@tanstack/react-router"
import { useAccount } from "../../data/Account.tsx"
import { useShortcut } from "../../shell/Shortcuts.ts"
import { LinkButton } from "../../ui/LinkButton.tsx"

export const NewCampaignLink = () => {
  const { slug } = useAccount()
  const navigate = useNavigate()
  const place = { to: "/$account/campaigns/new", params: { account: slug } } as const
  useShortcut("C", "New campaign", () => void navigate(place))
  return (
    <LinkButton {...place} look="primary" shortcut="C" icon={<IconPlus aria-hidden />}>
      New campaign
    </LinkButton>
  )
}
