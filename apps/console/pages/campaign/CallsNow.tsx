/** The calls in progress by slot: contact, phase, duration, speaker and the words spoken. */
import { IconTool } from "@tabler/icons-react"
import { Link, useNavigate } from "@tanstack/react-router"
import { useQuery } from "@tanstack/react-query"
import { memo, useState } from "react"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { useContactName } from "../../data/Contacts.ts"
import type { LiveCall, Slot } from "../../data/LiveCalls.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { type Line, useLastLine } from "../../data/Transcripts.ts"
import { OutcomeWord } from "../../figures/OutcomeWord.tsx"
import { SpeakerArc } from "../../figures/SpeakerArc.tsx"
import { useNow } from "../../shell/Clock.ts"
import { ActionMenu } from "../../ui/ActionMenu.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { OutcomeGlyph } from "../../figures/OutcomeGlyph.tsx"
import { formatNumber } from "../../words/PhoneNumbers.ts"
import { inSeconds, length, secondsBetween } from "../../words/Times.ts"
import { useCampaign } from "./CurrentCampaign.ts"
import "./CallsNow.css"

export const CallsNow = ({ slots }: { readonly slots: ReadonlyArray<Slot> }) => (
  <Panel
    className="CallsNow-panel"
    title={
      <>
        In a call now
        <span className="CallsNow-arcs">
          <SpeakerArc of="agent" /> agent
        </span>
        <span className="CallsNow-arcs">
          <SpeakerArc of="contact" /> contact
        </span>
      </>
    }
    aside={<FirstWord />}
  >
    {slots.length === 0 ? (
      <p className="CallsNow-none">Nobody is in a call.</p>
    ) : (
      <ul className="CallsNow">
        {slots.map((slot) => (
          <CallNow key={slot.call.id} slot={slot} />
        ))}
      </ul>
    )}
  </Panel>
)

/** The account's time to the first word in the last hour, as on the overview. It hardly changes. */
const FirstWord = () => {
  const rpc = useRpc()
  const { data } = useQuery(
    rpc.account.activity.queryOptions(undefined, { refetchInterval: 30_000, staleTime: 30_000 }),
  )
  const ms = data?.first_word_ms ?? null
  return ms === null ? null : <>{inSeconds(ms)} answer to first word, p99</>
}

const CallNow = memo(({ slot }: { readonly slot: Slot }) => {
  const { call, endedAt, number } = slot
  const { slug } = useAccount()
  const campaign = useCampaign()
  const name = useContactName(campaign.id, call.contact_id)
  const shown = name ?? (call.to === null ? "From a page" : formatNumber(call.to))
  return (
    <li className={`CallsNow-row ${endedAt === undefined ? "" : "CallsNow-ended"}`}>
      <span className="CallsNow-slot">{number}</span>
      <Link to="/$account/calls/$id" params={{ account: slug, id: call.id }} className="CallsNow-name">
        {shown}
      </Link>
      <Talk call={call} isOver={endedAt !== undefined} />
      <HangUp id={call.id} name={shown} />
    </li>
  )
})

/** The part that changes with every word, so that the rest of the row is not rendered again. */
const Talk = ({ call, isOver }: { readonly call: LiveCall; readonly isOver: boolean }) => {
  const isTalking = call.status === "in_progress"
  const line = useLastLine(call.id, isTalking && !isOver)
  const isUsingTool = line?.role === "tool"
  return (
    <>
      <span className="CallsNow-phase">
        {isOver ? (
          <Ended id={call.id} />
        ) : isUsingTool ? (
          <span className="OutcomeWord">
            <span className="CallsNow-tool" /> Using a tool
          </span>
        ) : (
          <OutcomeWord of={isTalking ? "in_call" : "ringing"}>{isTalking ? "Talking" : "Ringing"}</OutcomeWord>
        )}
      </span>
      <span className="CallsNow-time">
        {!isOver && <Running since={new Date(call.answered_at ?? call.started_at)} />}
      </span>
      {!isOver && <Said line={line} call={call} />}
    </>
  )
}

const Running = ({ since }: { readonly since: Date }) => <>{length(secondsBetween(since, useNow()))}</>

const Ended = ({ id }: { readonly id: string }) => {
  const rpc = useRpc()
  const { data } = useQuery(rpc.calls.get.queryOptions({ id }))
  const outcome = data?.outcome ?? null
  return outcome === null ? <>Ended</> : <OutcomeWord of={outcome} />
}

const speakers = { agent: "Agent", person: "Colleague", contact: "Contact" }

const Said = ({ call, line }: { readonly line: Line | undefined; readonly call: LiveCall }) => {
  const isTalking = call.status === "in_progress"
  if (line === undefined) return <span className="CallsNow-said quiet">{isTalking ? "" : "rings"}</span>
  if (line.role === "tool") {
    return (
      <span className="CallsNow-said mono">
        <IconTool size={14} aria-hidden />
        <span className="CallsNow-words">{line.tool_name}</span>
      </span>
    )
  }
  const speaker = line.role === "caller" ? "contact" : line.role === "person" ? "person" : "agent"
  return (
    <span className={`CallsNow-said ${speaker === "contact" ? "CallsNow-contact" : "quiet"}`}>
      <SpeakerArc of={speaker} label={speakers[speaker]} />
      <span className="CallsNow-words">{line.text}</span>
    </span>
  )
}

const HangUp = memo(({ id, name }: { readonly id: string; readonly name: string }) => {
  const { slug } = useAccount()
  const mayChange = useMayChange()
  const navigate = useNavigate()
  const client = useRpcClient()
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <ActionMenu
        label={`Actions for the call with ${name}`}
        actions={[
          {
            id: "open",
            word: "Open call",
            onAct: () => void navigate({ to: "/$account/calls/$id", params: { account: slug, id } }),
          },
          ...(mayChange ? [{ id: "hang-up", word: "Hang up…", isStop: true, onAct: () => setAsking(true) }] : []),
        ]}
      />
      <Confirm
        question={`Hang up on ${name}?`}
        lines={[{ icon: <OutcomeGlyph of="in_call" />, text: "The line is cut at once, whatever is being said." }]}
        verb="Hang up"
        leave="Let them talk"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => client.calls.hangUp.mutate({ id })}
      />
    </>
  )
})
