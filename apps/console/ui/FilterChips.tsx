/** A choice of one filter, each with a count. The choice is in the URL, so each filter is a link. */
import type { ReactNode } from "react"
import { Link, useSearch } from "@tanstack/react-router"
import { count } from "../words/Figures.ts"
import "./FilterChips.css"

export interface FilterChip {
  /** Undefined for the chip without a filter. */
  readonly value: string | undefined
  readonly word: ReactNode
  readonly count?: number | undefined
}

export interface FilterChipsProps {
  readonly label: string
  /** The search parameter that holds the choice. */
  readonly parameter: string
  readonly chips: ReadonlyArray<FilterChip>
}

export const FilterChips = ({ chips, label, parameter }: FilterChipsProps) => {
  const chosen = (useSearch({ strict: false }) as Readonly<Record<string, unknown>>)[parameter]
  return (
    <nav className="FilterChips" aria-label={label}>
      {chips.map((chip) => (
        <Link
          key={chip.value ?? ""}
          to="."
          search={(before) => ({ ...before, [parameter]: chip.value, page: undefined })}
          className="FilterChips-chip"
          // By default the router would also mark the chip without a filter as active.
          activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
          aria-current={chip.value === chosen ? "true" : undefined}
        >
          {chip.word}
          {chip.count !== undefined && <span className="FilterChips-count">{count(chip.count)}</span>}
        </Link>
      ))}
    </nav>
  )
}
