/** A word with a tint behind it: a property, good, waiting, failed, or a note of this browser's. */
import type { ReactNode } from "react"
import "./Tag.css"

export interface TagProps {
  readonly tone?: "plain" | "talk" | "warn" | "stop" | "note"
  readonly children: ReactNode
}

export const Tag = ({ children, tone = "plain" }: TagProps) => <span className={`Tag Tag-${tone}`}>{children}</span>
