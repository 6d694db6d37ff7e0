/** The pages of a list. The page number is in the URL, from 1. */
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react"
import { Link } from "@tanstack/react-router"
import { count } from "../words/Figures.ts"
import "./Pager.css"

export interface PagerProps {
  /** From 1. */
  readonly page: number
  readonly pageSize: number
  readonly total: number
  /** "calls" */
  readonly of: string
  /** True if the list scrolls to the page itself, so that the window does not scroll to its top. */
  readonly isKept?: boolean
}

export const Pager = ({ isKept = false, of, page, pageSize, total }: PagerProps) => {
  const pages = Math.max(1, Math.ceil(total / pageSize))
  if (pages === 1) return null
  const from = (page - 1) * pageSize + 1
  return (
    <nav className="Pager" aria-label="Pages">
      <span>
        {count(from)} to {count(Math.min(total, page * pageSize))} of {count(total)} {of}
      </span>
      {page > 1 && (
        <Link
          to="."
          search={(before) => ({ ...before, page: page === 2 ? undefined : page - 1 })}
          resetScroll={!isKept}
          className="Pager-step"
          aria-label="Previous page"
        >
          <IconChevronLeft aria-hidden />
        </Link>
      )}
      {page < pages && (
        <Link
          to="."
          search={(before) => ({ ...before, page: page + 1 })}
          resetScroll={!isKept}
          className="Pager-step"
          aria-label="Next page"
        >
          <IconChevronRight aria-hidden />
        </Link>
      )}
    </nav>
  )
}
