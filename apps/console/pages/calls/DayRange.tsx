/** The first and the last day of a list, in the account's zone. */
import { useZone } from "../../data/AccountPulse.ts"
import { Field } from "../../ui/Field.tsx"
import "./CallsPage.css"

export interface DayRangeProps {
  /** As `2026-11-24`. */
  readonly from: string | undefined
  readonly to: string | undefined
  readonly onChange: (name: "from" | "to") => (day: string) => void
}

export const DayRange = ({ from = "", onChange, to = "" }: DayRangeProps) => {
  const title = `Days in ${useZone()}`
  return (
    <>
      <span className="Calls-day" title={title}>
        <Field label="From" type="date" value={from} onChange={onChange("from")} />
      </span>
      <span className="Calls-day" title={title}>
        <Field label="to" type="date" value={to} onChange={onChange("to")} />
      </span>
    </>
  )
}
