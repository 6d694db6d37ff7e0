/** How one campaign comes along, as its stream tells it; closed while nobody has looked at the tab for a minute. */
import { useSubscription } from "@trpc/tanstack-react-query"
import { useEffect, useState } from "react"
import type { Outputs } from "./AccountPulse.ts"
import { useRpc } from "./Rpc.ts"

export type Snapshot = Outputs["account"]["running"][number]

/** A tab that nobody looks at lets go of its streams after this. */
const patience = 60_000

export const useIsWatched = (): boolean => {
  const [isWatched, setWatched] = useState(true)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(timer)
      if (document.hidden) timer = setTimeout(() => setWatched(false), patience)
      else setWatched(true)
    }
    document.addEventListener("visibilitychange", look)
    return () => {
      clearTimeout(timer)
      document.removeEventListener("visibilitychange", look)
    }
  }, [])
  return isWatched
}

export const useCampaignLive = (id: string) => {
  const rpc = useRpc()
  const isWatched = useIsWatched()
  const { data, error, status } = useSubscription(
    rpc.campaigns.live.subscriptionOptions({ id }, { enabled: isWatched }),
  )
  const snapshot = data?.data
  return {
    snapshot,
    error,
    /** Undefined until it has been heard once. */
    isConnected: snapshot === undefined ? undefined : status === "pending" || status === "idle" || !isWatched,
  }
}
