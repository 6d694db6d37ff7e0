/** Pauses and resumes the recording of a call in progress, for words that must not be recorded. */
import { IconPlayerPause, IconPlayerRecord } from "@tabler/icons-react"
import { useQueryClient } from "@tanstack/react-query"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { Button } from "../../ui/Button.tsx"
import type { OpenCall } from "./Call.ts"

export interface PauseRecordingProps {
  readonly call: Pick<OpenCall, "id" | "recording_state">
  readonly run: (act: () => Promise<unknown>) => Promise<unknown>
}

/** Renders nothing for a call that is not being recorded. */
export const PauseRecording = ({ call: { id, recording_state }, run }: PauseRecordingProps) => {
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  if (recording_state !== "recording" && recording_state !== "paused") return null
  const isPaused = recording_state === "paused"
  const press = () =>
    run(async () => {
      await (isPaused ? client.calls.resumeRecording : client.calls.pauseRecording).mutate({ id })
      await queries.invalidateQueries({ queryKey: rpc.calls.pathKey() })
    })
  return (
    <Button icon={isPaused ? <IconPlayerRecord aria-hidden /> : <IconPlayerPause aria-hidden />} onPress={press}>
      {isPaused ? "Resume recording" : "Pause recording"}
    </Button>
  )
}
