/** Plays a call in progress in the browser. Members who may hear recordings may listen; the call shows who did. */
import { IconEar, IconEarOff } from "@tabler/icons-react"
import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { useAccount } from "../../data/Account.tsx"
import { playLiveSound } from "../../data/LiveSound.ts"
import { useRpc } from "../../data/Rpc.ts"
import { Button } from "../../ui/Button.tsx"

export interface ListenProps {
  readonly id: string
  readonly run: (act: () => Promise<unknown>) => Promise<unknown>
}

export const Listen = ({ id, run }: ListenProps) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const queries = useQueryClient()
  const [isHeard, setHeard] = useState(false)
  const playing = useRef<AbortController>(undefined)
  useEffect(() => () => playing.current?.abort(), [])
  const refresh = () => queries.invalidateQueries({ queryKey: rpc.calls.pathKey() })
  const listen = async () => {
    const controller = new AbortController()
    playing.current = controller
    await run(() =>
      playLiveSound(slug, id, controller.signal, () => {
        setHeard(true)
        void refresh()
      }),
    )
    setHeard(false)
    void refresh()
  }
  return isHeard ? (
    <Button icon={<IconEarOff aria-hidden />} onPress={() => playing.current?.abort()}>
      Stop listening
    </Button>
  ) : (
    <Button icon={<IconEar aria-hidden />} onPress={listen}>
      Listen
    </Button>
  )
}
