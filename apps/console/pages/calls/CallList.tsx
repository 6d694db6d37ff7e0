/**
 * A list of calls. Rows update in place, and newer calls are only announced above the list, so that nothing moves while
 * it is read.
 */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { beat } from "../../data/AccountPulse.ts"
import { useRpc } from "../../data/Rpc.ts"
import { useLiveSign } from "../../shell/LiveState.ts"
import { Button } from "../../ui/Button.tsx"
import { ClearFilters } from "../../ui/ClearFilters.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { Pager } from "../../ui/Pager.tsx"
import { counted } from "../../words/Figures.ts"
import type { Asked } from "./CallFilters.tsx"
import { CallTable } from "./CallTable.tsx"
import "./CallsPage.css"

const pageSize = 50

export interface CallListProps {
  readonly asked: Asked
  readonly page: number
  /** Shown if no filter is set and there are no calls. */
  readonly none: ReactNode
}

/** Needs a `key` that depends on the query. */
export const CallList = ({ asked, none, page }: CallListProps) => {
  const rpc = useRpc()
  const [upTo, setUpTo] = useState(() => new Date().toISOString())
  const isOpenEnded = asked.to === undefined
  // A search reads every call of the account, so it refreshes less often.
  const refetchInterval = asked.search === undefined ? beat * 2 : beat * 10
  const { data, error, failureCount, refetch } = useQuery(
    rpc.calls.list.queryOptions(
      { to: upTo, ...asked, page: page - 1, page_size: pageSize },
      { placeholderData: keepPreviousData, refetchInterval },
    ),
  )
  const newer = useQuery(
    rpc.calls.list.queryOptions(
      { ...asked, from: upTo, page_size: 1 },
      { enabled: isOpenEnded && (asked.from === undefined || asked.from < upTo), refetchInterval },
    ),
  )
  useLiveSign(data === undefined ? undefined : error === null && failureCount === 0)
  if (data === undefined) {
    return (
      <div className="Table-frame">
        {error === null ? <Loading label="Calls" /> : <Failed what="The calls" error={error} onRetry={refetch} />}
      </div>
    )
  }
  const fresh = newer.data?.total ?? 0
  const isFiltered = Object.keys(asked).some((name) => name !== "campaign_id")
  return (
    <>
      {fresh > 0 && (
        <p className="Calls-newer">
          <Button size="row" onPress={() => setUpTo(new Date().toISOString())}>
            {fresh === 1 ? "1 newer call" : `${counted(fresh, "newer call")}`}
          </Button>
        </p>
      )}
      {data.items.length > 0 ? (
        <>
          <CallTable calls={data.items} />
          <Pager page={page} pageSize={pageSize} total={data.total} of="calls" />
        </>
      ) : (
        <div className="Table-frame">
          {isFiltered ? (
            <Empty title="No call fits these filters" acts={<ClearFilters />}>
              {asked.search !== undefined
                ? "Every word must be in the number, the contact's fields or the transcript. Transcripts are searched once a call has ended."
                : asked.status === undefined
                  ? "Days are those of the account’s time zone."
                  : asked.status === "failed"
                    ? "Failed means that the call was not answered."
                    : "Completed means that a person or a voicemail answered."}
            </Empty>
          ) : (
            none
          )}
        </div>
      )}
    </>
  )
}
