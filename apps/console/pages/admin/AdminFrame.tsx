/** The frame of the administration's pages. It has no side bar, so that they are not mistaken for an account's pages. */
import { Link, Navigate, useRouterState } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { AdminProvider } from "../../data/Admin.tsx"
import { Mark } from "../../figures/Mark.tsx"
import { useSession } from "../../session/Session.ts"
import { CrumbPlace } from "../../shell/CrumbPlace.ts"
import { ShortcutList } from "../../shell/ShortcutList.tsx"
import "../../shell/Shell.css"
import "./AdminFrame.css"

export const AdminFrame = ({ children }: { readonly children: ReactNode }) => {
  const [place, setPlace] = useState<HTMLElement | null>(null)
  const isSignedIn = useSession() !== null
  const here = useRouterState({ select: ({ location }) => location.href })
  if (!isSignedIn) return <Navigate to="/sign-in" search={{ next: here }} replace />
  return (
    <AdminProvider>
      <a className="Shell-skip" href="#main">
        Skip to content
      </a>
      <header className="Shell-top">
        <span className="AdminFrame-mark">
          <Mark /> <span className="name">Parley platform</span>
        </span>
        <div ref={setPlace} className="Shell-crumbs" />
        <Link to="/">Go to your accounts</Link>
      </header>
      <main id="main" className="Shell-main">
        <CrumbPlace value={place}>{children}</CrumbPlace>
      </main>
      <ShortcutList />
    </AdminProvider>
  )
}
