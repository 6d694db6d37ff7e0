/** Shown if nothing matches: names the filters, and offers to clear them. */
import { ClearFilters } from "../../ui/ClearFilters.tsx"
import { Empty } from "../../ui/Empty.tsx"

export interface NoMatchProps {
  readonly status: string | undefined
  readonly agent: string | undefined
  readonly typed: string | undefined
}

export const NoMatch = ({ agent, status, typed }: NoMatchProps) => {
  const parts = [
    ...(status === undefined ? [] : [status === "ended" ? "has ended" : `is ${status}`]),
    ...(agent === undefined ? [] : [`calls with ${agent}`]),
    ...(typed === undefined ? [] : [`has “${typed}” in its name`]),
  ]
  return (
    <Empty title={`No campaign ${parts.join(" and ")}`} acts={<ClearFilters />}>
      {status === "waiting"
        ? "Waiting means that its time has come and that it waits for free slots."
        : "Other campaigns are there."}
    </Empty>
  )
}
