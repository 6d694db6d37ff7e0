/** The present account, at the top left, and a menu to switch to another. */
import { IconChevronDown } from "@tabler/icons-react"
import { useNavigate } from "@tanstack/react-router"
import { Button, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components"
import { useAccount } from "../data/Account.tsx"
import { Mark } from "../figures/Mark.tsx"
import { useOrganisation } from "../session/Organisation.ts"
import "./AccountSwitcher.css"

export const AccountSwitcher = () => {
  const account = useAccount()
  const navigate = useNavigate()
  const { data } = useOrganisation()
  return (
    <MenuTrigger>
      <Button className="AccountSwitcher">
        <Mark />
        <span className="AccountSwitcher-names">
          <span className="AccountSwitcher-name">{account.name}</span>
          <span className="label">{account.slug}</span>
        </span>
        <span className="unseen">: choose an account</span>
        <IconChevronDown aria-hidden />
      </Button>
      <Popover className="ActionMenu-popover" offset={4} placement="bottom start">
        <Menu
          className="ActionMenu-list"
          aria-label="Accounts"
          onAction={(slug) => navigate({ to: "/$account", params: { account: String(slug) } })}
        >
          {(data?.accounts ?? []).map(({ name, role, slug }) => (
            <MenuItem key={slug} id={slug} textValue={name} className="ActionMenu-item">
              <span className="ActionMenu-word">{name}</span>
              <span className="label">{role}</span>
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
