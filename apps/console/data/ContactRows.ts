/** A campaign's contacts by position, however long the list is. Only pages in sight are requested. */
import { useQueries, useQuery } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import type { Contact } from "./Contacts.ts"
import type { Outputs } from "./AccountPulse.ts"
import { useRpc } from "./Rpc.ts"

export const pageSize = 100

/** Milliseconds until a page that has scrolled out of sight is dropped, since a user may scroll through all of them. */
const kept = 30_000

type Page = Outputs["campaigns"]["contacts"]["list"]
type Rpc = ReturnType<typeof useRpc>
export type ContactFilter = Omit<Parameters<Rpc["campaigns"]["contacts"]["list"]["queryOptions"]>[0] & object, "page">

export interface ContactRows {
  readonly total: number
  /** True after a change of the filter, while the rows are still those of the previous filter. */
  readonly isBehind: boolean
  /** Undefined while the row's page is loading. */
  readonly at: (index: number) => Contact | undefined
  readonly indexOf: (id: string) => number | undefined
}

export interface AskedRows {
  readonly filter: ContactFilter
  /** Page indexes, from 0: the first page of the list, and the pages in sight. */
  readonly start: number
  readonly inSight: ReadonlyArray<number>
  readonly refetchInterval: number | false
}

const same = (one: ContactFilter, other: ContactFilter) => JSON.stringify(one) === JSON.stringify(other)

export const useContactRows = ({ filter, inSight, refetchInterval, start }: AskedRows) => {
  const rpc = useRpc()
  const [shown, setShown] = useState<{ readonly filter: ContactFilter; readonly total: number }>()
  // Cancel requests for pages that are no longer in sight.
  const options = (of: ContactFilter, page: number) =>
    rpc.campaigns.contacts.list.queryOptions(
      { ...of, page, page_size: pageSize },
      { refetchInterval, gcTime: kept, trpc: { abortOnUnmount: true } },
    )
  const first = useQuery(options(filter, start))
  const isBehind = shown !== undefined && !same(shown.filter, filter)
  const { data } = first
  if (data !== undefined && (isBehind || data.total !== shown?.total)) setShown({ filter, total: data.total })
  const there = inSight.filter((page) => page * pageSize < (shown?.total ?? 0))
  const pages = useQueries({
    queries: (there.length === 0 ? [start] : there).map((page) => ({
      ...options(shown?.filter ?? filter, page),
      enabled: !isBehind,
    })),
    combine: loadedPages,
  })
  const rows = useMemo((): ContactRows | undefined => {
    if (shown === undefined) return undefined
    const byNumber = new Map(pages.map((page) => [page.page, page.items]))
    return {
      total: shown.total,
      isBehind,
      at: (index) => byNumber.get(Math.floor(index / pageSize))?.[index % pageSize],
      indexOf: (id) => {
        for (const { items, page } of pages) {
          const at = items.findIndex((contact) => contact.id === id)
          if (at !== -1) return page * pageSize + at
        }
        return undefined
      },
    }
  }, [shown, isBehind, pages])
  return { rows, first }
}

const loadedPages = (results: ReadonlyArray<{ readonly data: Page | undefined }>): ReadonlyArray<Page> =>
  results.flatMap(({ data }) => (data === undefined ? [] : [data]))
