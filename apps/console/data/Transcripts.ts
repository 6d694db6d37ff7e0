/** The last words of a call in progress, as they are spoken. Whispers are left out. */
import { useSubscription } from "@trpc/tanstack-react-query"
import { useState } from "react"
import type { Outputs } from "./AccountPulse.ts"
import { drawWords } from "./Gathered.ts"
import { useRpc } from "./Rpc.ts"
import { useIsWatched } from "./Watched.ts"

export type Line = Outputs["calls"]["get"]["transcript"][number]

export const useLastLine = (id: string, isOn: boolean): Line | undefined => {
  const rpc = useRpc()
  const isWatched = useIsWatched()
  const [line, setLine] = useState<Line>()
  useSubscription(
    rpc.calls.transcript.subscriptionOptions(
      { id },
      {
        enabled: isOn && isWatched,
        onData: ({ data: { entry } }) => {
          if (entry !== null && entry.role !== "whisper") drawWords(id, () => setLine(entry))
        },
      },
    ),
  )
  return line
}
