/** An empty list: what it is for, an action to begin with, and a harmless one. */
import type { ReactNode } from "react"
import "./Empty.css"

export interface EmptyProps {
  readonly title: string
  readonly children: ReactNode
  readonly acts?: ReactNode
  /** What the harmless action does, shown below the actions. */
  readonly note?: ReactNode
}

export const Empty = ({ acts, children, note, title }: EmptyProps) => (
  <div className="Empty">
    <h2 className="Empty-title">{title}</h2>
    <p className="Empty-text">{children}</p>
    {acts !== undefined && <div className="Empty-acts">{acts}</div>}
    {note !== undefined && <p className="second-line">{note}</p>}
  </div>
)
