/** A heading with details of its item and the actions on it. On small screens the actions are a bar at the bottom. */
import type { ReactNode } from "react"
import "./Head.css"

export interface HeadProps {
  /** Beside the heading: a state, a tag. */
  readonly beside?: ReactNode
  /** Below the heading. */
  readonly second?: ReactNode
  readonly acts?: ReactNode
  /** The heading. */
  readonly children: ReactNode
}

export const Head = ({ acts, beside, children, second }: HeadProps) => (
  <header className="Head">
    <div className="Head-words">
      <div className="Head-title">
        {children}
        {beside}
      </div>
      {second !== undefined && <p className="second-line Head-second">{second}</p>}
    </div>
    {acts !== undefined && acts !== false && <div className="Head-acts">{acts}</div>}
  </header>
)
