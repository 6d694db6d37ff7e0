/** Where the contacts of some campaigns are, by campaign: the parts of their bars. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import type { Outputs } from "./AccountPulse.ts"
import { useRpc } from "./Rpc.ts"

export type Tally = Outputs["account"]["tallies"][number]

export const useTallies = (ids: ReadonlyArray<string>, refetchInterval: number | false) => {
  const rpc = useRpc()
  const { data } = useQuery(
    rpc.account.tallies.queryOptions(
      { campaign_ids: [...ids] },
      { refetchInterval, placeholderData: keepPreviousData, enabled: ids.length > 0 },
    ),
  )
  return useMemo(() => new Map((data ?? []).map((tally) => [tally.campaign_id as string, tally])), [data])
}

/** Completed, failed or skipped: nobody is called for them any more. */
export const doneOf = ({ completed, failed, skipped }: Pick<Tally, "completed" | "failed" | "skipped">): number =>
  completed + failed + skipped
