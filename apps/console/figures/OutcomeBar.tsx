/** A bar divided by outcome, best first. Its parts add up to the count beside it. */
import { memo } from "react"
import { count } from "../words/Figures.ts"
import { outcomes, outcomeWords } from "./Outcomes.ts"
import "./OutcomeBar.css"

export interface OutcomeBarProps {
  /** Ended contacts by their final outcome. */
  readonly parts: Partial<Record<string, number>>
  readonly skipped?: number
  readonly total: number
  readonly size?: "row" | "panel"
}

export const OutcomeBar = memo(({ parts, size = "row", skipped = 0, total }: OutcomeBarProps) => {
  const shown = [
    ...outcomes.map((outcome) => ({ key: outcome as string, word: outcomeWords[outcome], value: parts[outcome] ?? 0 })),
    { key: "skipped", word: "Skipped", value: skipped },
  ].filter(({ value }) => value > 0)
  const sentence = shown.map(({ value, word }) => `${word} ${count(value)}`).join(", ")
  return (
    <div
      className={`OutcomeBar OutcomeBar-${size}`}
      role="img"
      aria-label={`${sentence || "Nobody yet"} of ${count(total)}`}
    >
      {shown.map(({ key, value }) => (
        <span
          key={key}
          className={`OutcomeBar-part Fill-${key}`}
          style={{ width: `${(value / Math.max(total, 1)) * 100}%` }}
        />
      ))}
    </div>
  )
})
