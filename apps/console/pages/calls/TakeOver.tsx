/**
 * Takes over a call in progress: the page's microphone and loudspeaker replace the agent until the call is handed back.
 */
import { IconMicrophone, IconMicrophoneOff, IconPhoneIncoming, IconRobot } from "@tabler/icons-react"
import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { type TakeoverOver, type TakeoverPhase, TakeoverSession } from "../../data/TakeoverSession.ts"
import { OutcomeGlyph } from "../../figures/OutcomeGlyph.tsx"
import { useNow } from "../../shell/Clock.ts"
import { notice } from "../../shell/Notices.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { length } from "../../words/Times.ts"
import "./CallPage.css"

export interface TakenOver {
  readonly phase: TakeoverPhase
  readonly endsAt: Date | undefined
  readonly isMuted: boolean
  readonly mute: (isMuted: boolean) => void
  readonly handBack: () => void
}

const overWords = (how: TakeoverOver, agent: string): string => {
  if (how.type === "refused") return how.detail
  if (how.reason === "call_ended") return "The call has ended."
  return how.reason === "handed_back"
    ? `${agent} has the call again.`
    : `The connection was lost, so ${agent} took the call back.`
}

/**
 * This page's takeover of the call. `taken` is undefined while the agent has the call. Browsers require a user's press
 * for `begin`.
 */
export const useTakeover = (id: string, agent: string) => {
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const session = useRef<TakeoverSession>(undefined)
  const [phase, setPhase] = useState<TakeoverPhase>()
  const [endsAt, setEndsAt] = useState<Date>()
  const [isMuted, setMuted] = useState(false)
  useEffect(() => () => session.current?.close(), [])
  const refresh = () => queries.invalidateQueries({ queryKey: rpc.calls.pathKey() })
  const begin = async () => {
    setMuted(false)
    session.current = await TakeoverSession.open(() => client.calls.takeOver.mutate({ id }), {
      phase: (next) => {
        setPhase(next)
        void refresh()
      },
      endsAt: setEndsAt,
      over: (how) => {
        session.current = undefined
        setPhase(undefined)
        notice({ text: overWords(how, agent) })
        void refresh()
      },
    })
  }
  const mute = (next: boolean) => {
    if (session.current !== undefined) session.current.isMuted = next
    setMuted(next)
  }
  const handBack = () => session.current?.handBack()
  const taken: TakenOver | undefined = phase === undefined ? undefined : { phase, endsAt, isMuted, mute, handBack }
  return { begin, taken }
}

export interface TakeOverProps {
  readonly agent: string
  readonly isRecorded: boolean
  readonly onBegin: () => Promise<unknown>
}

/** The button that takes the call over, with its confirmation. */
export const TakeOver = ({ agent, isRecorded, onBegin }: TakeOverProps) => {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button icon={<IconPhoneIncoming aria-hidden />} onPress={() => setAsking(true)}>
        Take over…
      </Button>
      <Confirm
        question={`Take this call over from ${agent}?`}
        lines={[
          {
            icon: <OutcomeGlyph of="in_call" />,
            text: `${agent} says that a colleague goes on, and falls silent. Then you talk, by your microphone.`,
          },
          {
            icon: <OutcomeGlyph of="answered" />,
            text: isRecorded ? "What you say is recorded and transcribed." : "What you say is transcribed.",
          },
          { icon: <OutcomeGlyph of="skipped" />, text: `If you close this page, ${agent} takes the call back.` },
        ]}
        verb="Take over"
        leave="Cancel"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={onBegin}
      />
    </>
  )
}

/** In the last seconds before the call's time limit, this many of them, the remaining time is counted down. */
const warnsAt = 60

export interface TakenCallProps {
  readonly taken: TakenOver
  readonly agent: string
  readonly contact: string
}

/** The controls of the supervisor who has taken over the call. */
export const TakenCall = ({ agent, contact, taken }: TakenCallProps) => {
  const { endsAt, handBack, isMuted, mute, phase } = taken
  const now = useNow()
  const left = endsAt === undefined ? Number.POSITIVE_INFINITY : (endsAt.getTime() - now.getTime()) / 1_000
  const said: Record<TakeoverPhase, string> = {
    telling: `${agent} is telling ${contact} that you go on.`,
    talking: isMuted ? `You are muted. ${contact} can't hear you.` : `${agent} is silent. ${contact} hears you.`,
    reconnecting: "The connection was lost. Reconnecting…",
  }
  return (
    <Panel
      title={phase === "talking" ? `You are talking with ${contact}` : "Taking the call over"}
      className="CallPage-taken"
    >
      <PanelBody>
        <div className="CallPage-taken-row">
          <p role="status">
            {said[phase]}
            {left < warnsAt && (
              <strong> The call ends in {length(Math.max(0, Math.floor(left)))}, at the agent's longest call.</strong>
            )}
          </p>
          <div className="CallPage-taken-acts">
            <Button
              icon={isMuted ? <IconMicrophoneOff aria-hidden /> : <IconMicrophone aria-hidden />}
              aria-pressed={isMuted}
              onPress={() => mute(!isMuted)}
            >
              {isMuted ? "Unmute" : "Mute"}
            </Button>
            <Button look="primary" icon={<IconRobot aria-hidden />} onPress={handBack}>
              Hand back to {agent}
            </Button>
          </div>
        </div>
      </PanelBody>
    </Panel>
  )
}
