/** The transcript of a call so far: the stored part, and the live part of a call in progress. */
import { useQueryClient } from "@tanstack/react-query"
import { useSubscription } from "@trpc/tanstack-react-query"
import { useState } from "react"
import { useIsWatched } from "../../data/Watched.ts"
import { useRpc } from "../../data/Rpc.ts"
import type { Line } from "../../data/Transcripts.ts"
import { isLive, type OpenCall } from "./Call.ts"

export const useHeard = (
  call: OpenCall,
): { readonly transcript: ReadonlyArray<Line>; readonly connected: boolean | undefined } => {
  const rpc = useRpc()
  const queries = useQueryClient()
  const isWatched = useIsWatched()
  const [heard, setHeard] = useState<ReadonlyMap<number, Line>>(new Map())
  const { status } = useSubscription(
    rpc.calls.transcript.subscriptionOptions(
      { id: call.id },
      {
        enabled: isLive(call) && isWatched,
        onData: ({ data: { ended, entry, number } }) => {
          if (entry !== null) setHeard((before) => new Map(before).set(number, entry))
          if (ended !== null) void queries.invalidateQueries({ queryKey: rpc.calls.pathKey() })
        },
      },
    ),
  )
  const live = [...heard.values()]
  return {
    // The stored transcript is complete once the call is written. Until then the stream is ahead of it.
    transcript: isLive(call) && live.length > call.transcript.length ? live : call.transcript,
    connected: status === "pending" || status === "idle" ? true : status === "connecting" ? undefined : false,
  }
}
