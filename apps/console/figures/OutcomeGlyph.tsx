/** The shape of an outcome or phase, which is distinct without colour. The word is always shown beside it. */
import { memo, type ReactNode } from "react"
import type { Outcome, Phase } from "./Outcomes.ts"
import "./OutcomeGlyph.css"

const shapes: Record<Outcome | Phase, ReactNode> = {
  answered: <circle cx="8" cy="8" r="5.5" fill="currentColor" />,
  voicemail: (
    <>
      <circle cx="8" cy="8" r="4.75" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M8 3.2a4.8 4.8 0 0 0 0 9.6z" fill="currentColor" />
    </>
  ),
  no_answer: <circle cx="8" cy="8" r="4.75" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  busy: (
    <>
      <circle cx="8" cy="8" r="5.5" fill="currentColor" />
      <path d="M5 8h6" stroke="var(--surface)" strokeWidth="1.8" />
    </>
  ),
  rejected: (
    <>
      <circle cx="8" cy="8" r="4.75" fill="none" stroke="currentColor" strokeWidth="1.6" />
      <path d="M4.8 11.2l6.4-6.4" stroke="currentColor" strokeWidth="1.6" />
    </>
  ),
  invalid_number: <path d="M3.6 3.6l8.8 8.8M12.4 3.6l-8.8 8.8" fill="none" stroke="currentColor" strokeWidth="1.8" />,
  carrier_error: <path d="M8 2.6l6 10.8H2z" fill="currentColor" />,
  unknown: (
    <>
      <path
        d="M8 1.8L14.2 8 8 14.2 1.8 8z"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinejoin="round"
      />
      <path d="M8 5v3.4M8 10.2v1.2" stroke="currentColor" strokeWidth="1.5" />
    </>
  ),
  not_called: <circle cx="8" cy="8" r="1.8" fill="currentColor" />,
  ringing: (
    <g fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round">
      <path d="M6.6 3.2a5 5 0 0 0-3.4 5.6" />
      <path d="M9.4 12.8a5 5 0 0 0 3.4-5.6" />
    </g>
  ),
  in_call: (
    <g fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round">
      <path d="M6.6 3.2a5 5 0 0 0-3.4 5.6" />
      <path d="M9.4 12.8a5 5 0 0 0 3.4-5.6" />
      <circle cx="8" cy="8" r="1.2" fill="currentColor" strokeWidth="1" />
    </g>
  ),
  skipped: (
    <path
      d="M4 4.5L7.2 8 4 11.5M8.8 4.5L12 8l-3.2 3.5"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  ),
}

export interface OutcomeGlyphProps {
  readonly of: Outcome | Phase
  readonly size?: number
}

export const OutcomeGlyph = memo(({ of, size = 14 }: OutcomeGlyphProps) => (
  <svg className={`OutcomeGlyph OutcomeGlyph-${of}`} width={size} height={size} viewBox="0 0 16 16" aria-hidden>
    {shapes[of]}
  </svg>
))
