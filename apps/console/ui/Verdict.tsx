/** The result of a trial: a sign and a sentence. */
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react"
import type { ReactNode } from "react"
import "./Verdict.css"

export const Verdict = ({ children, isGood }: { readonly isGood: boolean; readonly children: ReactNode }) => (
  <p className={isGood ? "Verdict Verdict-good" : "Verdict Verdict-bad"}>
    {isGood ? <IconCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
    <span>{children}</span>
  </p>
)
