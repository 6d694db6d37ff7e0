/**
 * Shows one item beside its list. The list stays usable: `J` and `K` move through it, and `Esc` closes the drawer.
 * Below 768 px the drawer fills the screen.
 */
import { IconX } from "@tabler/icons-react"
import { type ReactNode, useEffect, useRef } from "react"
import { Button } from "react-aria-components"
import { useShortcut } from "../shell/Shortcuts.ts"
import "./Drawer.css"

export interface DrawerProps {
  /** The name of the shown item, for screen readers. */
  readonly label: string
  readonly head: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
}

export const Drawer = ({ children, head, label, onClose }: DrawerProps) => {
  const drawer = useRef<HTMLElement>(null)
  useShortcut("Esc", "Close", onClose)
  useEffect(() => {
    const before = document.activeElement
    drawer.current?.focus({ preventScroll: true })
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true })
    }
  }, [])
  return (
    <aside ref={drawer} tabIndex={-1} className="Drawer" aria-label={label}>
      <header className="Drawer-head">
        {head}
        <Button className="Drawer-close" aria-label="Close" onPress={onClose}>
          <IconX aria-hidden />
        </Button>
      </header>
      <div className="Drawer-body">{children}</div>
    </aside>
  )
}
