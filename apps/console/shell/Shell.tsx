/** The frame of every page in an account: side bar, top bar, and the page between them. */
import { IconMenu2 } from "@tabler/icons-react"
import { type ReactNode, useState } from "react"
import { Button } from "react-aria-components"
import { CommandBox } from "./CommandBox.tsx"
import { CrumbPlace } from "./CrumbPlace.ts"
import { LiveBanner, LiveSign } from "./LiveSign.tsx"
import { SideBar } from "./SideBar.tsx"
import { ShortcutList } from "./ShortcutList.tsx"
import "./Shell.css"

export const Shell = ({ children }: { readonly children: ReactNode }) => {
  const [place, setPlace] = useState<HTMLElement | null>(null)
  const [isMenuOpen, setMenuOpen] = useState(false)
  return (
    <div className="Shell">
      <a className="Shell-skip" href="#main">
        Skip to content
      </a>
      <SideBar isOpen={isMenuOpen} onClose={() => setMenuOpen(false)} />
      <div className="Shell-right">
        <header className="Shell-top">
          <Button className="Shell-menu" aria-label="Menu" aria-expanded={isMenuOpen} onPress={() => setMenuOpen(true)}>
            <IconMenu2 size={18} aria-hidden />
          </Button>
          <div ref={setPlace} className="Shell-crumbs" />
          <LiveSign />
          <CommandBox />
        </header>
        <LiveBanner />
        <main id="main" className="Shell-main">
          <CrumbPlace value={place}>{children}</CrumbPlace>
        </main>
      </div>
      <ShortcutList />
    </div>
  )
}
