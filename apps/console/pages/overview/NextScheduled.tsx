/** The next drafts that start automatically. */
import { useQuery } from "@tanstack/react-query"
import { useZone } from "../../data/AccountPulse.ts"
import { useRpc } from "../../data/Rpc.ts"
import { useMinute } from "../../shell/Clock.ts"
import { planned } from "../../words/Times.ts"

export const NextScheduled = () => {
  const rpc = useRpc()
  const zone = useZone()
  const now = useMinute()
  const first = { state: "scheduled", order: "state", page_size: 1 } as const
  const next = useQuery(rpc.campaigns.list.queryOptions(first, { staleTime: 30_000 })).data?.items[0]
  if (next === undefined || next.scheduled_at === null || Date.parse(next.scheduled_at) <= now.getTime()) return null
  return (
    <>
      Next: {next.name}, {planned(new Date(next.scheduled_at), now, zone)}
    </>
  )
}
