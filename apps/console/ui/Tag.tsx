/** A word on a tinted background: a property, good, waiting, failed, or a note about this browser. */
import type { ReactNode } from "react"
import "./Tag.css"

export interface TagProps {
  readonly tone?: "plain" | "talk" | "warn" | "stop" | "note"
  readonly children: ReactNode
}

export const Tag = ({ children, tone = "plain" }: TagProps) => <span className={`Tag Tag-${tone}`}>{children}</span>
