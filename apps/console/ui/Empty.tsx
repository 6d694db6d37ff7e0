/** An empty list: what the list is for, and actions to start with. */
import type { ReactNode } from "react"
import "./Empty.css"

export interface EmptyProps {
  readonly title: string
  readonly children: ReactNode
  readonly acts?: ReactNode
  /** A line below the actions, such as what a harmless one does. */
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
