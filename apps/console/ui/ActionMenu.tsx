/** A menu of further actions on an item, behind three dots. */
import { IconDots } from "@tabler/icons-react"
import type { ReactNode } from "react"
import { Button, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components"
import { Key } from "./Key.tsx"
import "./ActionMenu.css"

export interface Action {
  readonly id: string
  readonly word: string
  readonly icon?: ReactNode
  readonly shortcut?: string
  /** True if the action ends or removes something. */
  readonly isStop?: boolean
  readonly onAct: () => void
}

export interface ActionMenuProps {
  /** The menu's name, such as "Actions for November hygiene recall". */
  readonly label: string
  readonly actions: ReadonlyArray<Action>
  /** Replaces the three dots. */
  readonly children?: ReactNode
}

export const ActionMenu = ({ actions, children, label }: ActionMenuProps) => (
  <MenuTrigger>
    <Button aria-label={label} className="ActionMenu-button">
      {children ?? <IconDots aria-hidden />}
    </Button>
    <Popover className="ActionMenu-popover" placement="bottom end" offset={4}>
      <Menu className="ActionMenu-list" onAction={(id) => actions.find((action) => action.id === id)?.onAct()}>
        {actions.map(({ icon, id, isStop, shortcut, word }) => (
          <MenuItem key={id} id={id} textValue={word} className={`ActionMenu-item ${isStop ? "ActionMenu-stop" : ""}`}>
            {icon}
            <span className="ActionMenu-word">{word}</span>
            {shortcut !== undefined && <Key>{shortcut}</Key>}
          </MenuItem>
        ))}
      </Menu>
    </Popover>
  </MenuTrigger>
)
