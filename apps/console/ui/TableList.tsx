/** A list as a full table: its loading, failed and empty states, its rows and its pager. */
import { type ReactNode, useRef } from "react"
import { useListKeys } from "../shell/ListKeys.ts"
import { type Column, Columns } from "./Columns.tsx"
import { Failed } from "./Failed.tsx"
import { Loading } from "./Loading.tsx"
import { Pager } from "./Pager.tsx"
import "./Table.css"

interface Asked {
  readonly data:
    | { readonly items: ReadonlyArray<unknown>; readonly page_size: number; readonly total: number }
    | undefined
  readonly error: unknown
  readonly refetch: () => unknown
}

export interface TableListProps {
  /** "API keys" */
  readonly of: string
  readonly list: Asked
  readonly page: number
  readonly empty: ReactNode
  readonly columns: ReadonlyArray<Column>
  /** True for rows of two lines. */
  readonly isTall?: boolean
  /** Its rows. */
  readonly children: ReactNode
}

export const TableList = ({ children, columns, empty, isTall = false, list, of, page }: TableListProps) => {
  const frame = useRef<HTMLDivElement>(null)
  useListKeys(frame)
  const { data, error, refetch } = list
  if (data === undefined) {
    return (
      <div className="Table-frame">
        {error === null ? <Loading label={of} /> : <Failed what={`The ${of}`} error={error} onRetry={refetch} />}
      </div>
    )
  }
  if (data.items.length === 0) return <div className="Table-frame">{empty}</div>
  return (
    <>
      <div ref={frame} className="Table-frame">
        <table className={`Table ${isTall ? "Table-tall" : ""}`} aria-label={of}>
          <Columns columns={columns} />
          <tbody>{children}</tbody>
        </table>
      </div>
      <Pager page={page} pageSize={data.page_size} total={data.total} of={of} />
    </>
  )
}
