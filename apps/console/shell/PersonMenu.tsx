/** The signed-in user's menu, at the bottom left: theme, signing out. */
import { IconDeviceDesktop, IconLogout, IconMoon, IconSun } from "@tabler/icons-react"
import { useNavigate } from "@tanstack/react-router"
import { Button, Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from "react-aria-components"
import { useAccount } from "../data/Account.tsx"
import { useOrganisation } from "../session/Organisation.ts"
import { end } from "../session/Session.ts"
import { choose, type Theme, useTheme } from "./Theme.ts"
import "./PersonMenu.css"

const themes: ReadonlyArray<{ readonly id: Theme; readonly word: string; readonly shape: React.ReactNode }> = [
  { id: "light", word: "Light", shape: <IconSun aria-hidden /> },
  { id: "dark", word: "Dark", shape: <IconMoon aria-hidden /> },
  { id: "system", word: "System", shape: <IconDeviceDesktop aria-hidden /> },
]

/** "DW" for Dana Whitfield, "D" for dev@example.com. */
const initials = (name: string): string =>
  name
    .split(/[\s.@]+/)
    .slice(0, name.includes("@") ? 1 : 2)
    .map((word) => word.slice(0, 1).toUpperCase())
    .join("")

export const PersonMenu = () => {
  const { role } = useAccount()
  const theme = useTheme()
  const navigate = useNavigate()
  const { data } = useOrganisation()
  const name = data?.name ?? data?.email ?? data?.subject ?? ""
  return (
    <MenuTrigger>
      <Button className="PersonMenu">
        <span className="PersonMenu-initials" aria-hidden>
          {initials(name)}
        </span>
        <span className="PersonMenu-name">{name}</span>
        <span className="label">{role}</span>
        <span className="unseen">: theme and sign out</span>
      </Button>
      <Popover className="ActionMenu-popover" placement="top start" offset={4}>
        <Menu
          className="ActionMenu-list"
          onAction={(key) => {
            const chosen = themes.find(({ id }) => id === key)
            if (chosen !== undefined) return choose(chosen.id)
            end()
            return void navigate({ to: "/sign-in" })
          }}
        >
          <MenuSection selectionMode="single" selectedKeys={[theme]}>
            <Header className="PersonMenu-header">Theme</Header>
            {themes.map(({ id, shape, word }) => (
              <MenuItem key={id} id={id} textValue={word} className="ActionMenu-item PersonMenu-theme">
                {shape}
                <span className="ActionMenu-word">{word}</span>
              </MenuItem>
            ))}
          </MenuSection>
          <MenuItem id="sign-out" textValue="Sign out" className="ActionMenu-item">
            <IconLogout aria-hidden />
            <span className="ActionMenu-word">Sign out</span>
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
