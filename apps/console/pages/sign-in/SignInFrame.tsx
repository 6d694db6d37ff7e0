/** The frame of the pages before the sign-in: the mark, a link to the documents, one column. */
import type { ReactNode } from "react"
import { Mark } from "../../figures/Mark.tsx"
import "./SignInFrame.css"

export const SignInFrame = ({ children }: { readonly children: ReactNode }) => (
  <div className="SignIn">
    <header className="SignIn-top">
      <span className="SignIn-brand">
        <Mark size={22} />
        Parley
      </span>
      <a className="second-line" href="/docs">
        Documentation
      </a>
    </header>
    <main className="SignIn-main">{children}</main>
  </div>
)
