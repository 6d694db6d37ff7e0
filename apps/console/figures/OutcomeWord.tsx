/** An outcome or phase as a shape and a word. */
import type { ReactNode } from "react"
import { OutcomeGlyph } from "./OutcomeGlyph.tsx"
import { isOutcome, type Outcome, outcomeWords, type Phase, phaseWords } from "./Outcomes.ts"
import "./OutcomeWord.css"

export interface OutcomeWordProps {
  readonly of: Outcome | Phase
  /** Replaces the outcome's own word. */
  readonly children?: ReactNode
}

export const OutcomeWord = ({ children, of }: OutcomeWordProps) => (
  <span className="OutcomeWord">
    <OutcomeGlyph of={of} />
    {children ?? (isOutcome(of) ? outcomeWords[of] : phaseWords[of])}
  </span>
)
