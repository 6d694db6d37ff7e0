/** One call: its transcript, result, delays and cost, and why it was dialled. */
import { IconCopy, IconDownload, IconPhoneOff } from "@tabler/icons-react"
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useCallback, useMemo, useState } from "react"
import { useAct } from "../../data/Act.ts"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { beat, useZone } from "../../data/AccountPulse.ts"
import { useContactName } from "../../data/Contacts.ts"
import { download } from "../../data/Rest.ts"
import { useRpc } from "../../data/Rpc.ts"
import { OutcomeWord } from "../../figures/OutcomeWord.tsx"
import { useNow } from "../../shell/Clock.ts"
import { useLiveSign } from "../../shell/LiveState.ts"
import { notice } from "../../shell/Notices.tsx"
import { type Crumb, Page } from "../../shell/Page.tsx"
import { useShortcut } from "../../shell/Shortcuts.ts"
import { Button } from "../../ui/Button.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { ReadOnlyNote } from "../../ui/ReadOnlyNote.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { duration, exactClock, length, moment, secondsBetween, utc } from "../../words/Times.ts"
import { otherEnd, otherNumber } from "../../words/OtherEnd.ts"
import { CallFacts } from "./CallFacts.tsx"
import { isLive, isBeingRead, type OpenCall, phaseOf } from "./Call.ts"
import { beside } from "./CallTrail.ts"
import { DeleteCall } from "./DeleteCall.tsx"
import { ErasePerson } from "./ErasePerson.tsx"
import { HangUp } from "./HangUp.tsx"
import { Lanes } from "./Lanes.tsx"
import { Listen } from "./Listen.tsx"
import { useHeard } from "./Heard.ts"
import { PauseRecording } from "./PauseRecording.tsx"
import { TakenCall, TakeOver, useTakeover } from "./TakeOver.tsx"
import { lineAt, linesOf, spokenOf } from "./Timeline.ts"
import { Transcript } from "./Transcript.tsx"
import { Whisper } from "./Whisper.tsx"
import "./CallPage.css"

export const CallPage = () => {
  const { account, id } = useParams({ from: "/$account/calls/$id" })
  const { name: accountName } = useAccount()
  const rpc = useRpc()
  const call = useQuery(
    rpc.calls.get.queryOptions(
      { id },
      {
        refetchInterval: ({ state: { data } }) =>
          data !== undefined && (isLive(data) || isBeingRead(data)) ? beat : false,
      },
    ),
  )
  const crumbs: ReadonlyArray<Crumb> = [{ word: "Calls", to: "/$account/calls", params: { account } }]
  if (call.data !== undefined) return <OneCall key={id} call={call.data} crumbs={crumbs} />
  return (
    <Page name="Call" title="Call" crumbs={crumbs}>
      {call.isError ? (
        <Failed
          what="The call"
          error={call.error}
          onRetry={call.refetch}
          notFound={`There is no call with this id in ${accountName}. It may belong to another account.`}
        />
      ) : (
        <Loading label="Call" />
      )}
    </Page>
  )
}

interface OneCallProps {
  readonly call: OpenCall
  readonly crumbs: ReadonlyArray<Crumb>
}

const OneCall = ({ call, crumbs }: OneCallProps) => {
  const { slug } = useAccount()
  const mayChange = useMayChange()
  const navigate = useNavigate({ from: "/$account/calls/$id" })
  const { t } = useSearch({ from: "/$account/calls/$id" })
  const goesOn = isLive(call)
  const name = useContactName(call.campaign_id ?? "", call.campaign_id === null ? null : call.contact_id)
  const shown = name ?? otherEnd(call)
  const [isAsking, setAsking] = useState(false)
  const { problem, run } = useAct()
  const isTalking = call.status === "in_progress"
  const { begin, taken } = useTakeover(call.id, call.agent_name)
  const { connected, transcript } = useHeard(call)
  const lines = useMemo(() => linesOf({ ...call, transcript }), [call, transcript])
  const chosen = t === undefined ? undefined : lineAt(lines, t)
  const choose = useCallback(
    (second: number) => void navigate({ search: { t: second }, replace: true, resetScroll: false }),
    [navigate],
  )
  const spoken = spokenOf(lines)
  const number = otherNumber(call)
  const leave = () => void navigate({ to: "/$account/calls", params: { account: slug } })
  const step = (by: 1 | -1) => {
    const at = chosen === undefined ? (by === 1 ? -1 : spoken.length) : spoken.indexOf(chosen)
    const next = spoken[at + by]
    if (next !== undefined) choose(Math.floor(next.from / 1000))
  }
  const copy = async () => {
    await navigator.clipboard.writeText(location.href)
    notice({ text: t === undefined ? "The link is copied." : `The link to ${length(t)} is copied.` })
  }
  const save = () => run(() => download(slug, `/api/v1/calls/${call.id}/recording`, `call-${call.id}.wav`))
  const go = (by: 1 | -1) => {
    const other = beside(call.id, by)
    if (other !== undefined) void navigate({ to: "/$account/calls/$id", params: { account: slug, id: other } })
  }
  useShortcut("↓", "Next line", () => step(1))
  useShortcut("↑", "Line before", () => step(-1))
  useShortcut("L", "Copy a link to the second", () => void copy())
  useShortcut("]", "Next call of the list", () => go(1))
  useShortcut("[", "Call before it in the list", () => go(-1))
  return (
    <Page
      name={shown}
      title={shown}
      crumbs={crumbs}
      beside={
        <>
          <span className={`CallPage-outcome ${call.outcome === "answered" ? "CallPage-answered" : ""}`}>
            <OutcomeWord of={phaseOf(call)} />
          </span>
          <ResultTag call={call} />
        </>
      }
      second={<About call={call} isNamed={name !== undefined} />}
      acts={
        <>
          <Button icon={<IconCopy aria-hidden />} onPress={copy}>
            {t === undefined ? "Copy link" : `Link to ${length(t)}`}
          </Button>
          {call.recording !== null && (
            <Button icon={<IconDownload aria-hidden />} onPress={save}>
              WAV
            </Button>
          )}
          {isTalking && taken === undefined && <Listen id={call.id} run={run} />}
          {isTalking && mayChange && taken === undefined && (
            <TakeOver agent={call.agent_name} isRecorded={call.recording_state === "recording"} onBegin={begin} />
          )}
          {goesOn && mayChange && <PauseRecording call={call} run={run} />}
          {goesOn && mayChange && (
            <Button look="stop" icon={<IconPhoneOff aria-hidden />} onPress={() => setAsking(true)}>
              Hang up…
            </Button>
          )}
          {!goesOn && mayChange && <DeleteCall id={call.id} name={shown} onDeleted={leave} />}
          {!goesOn && number !== null && <ErasePerson number={number} onErased={leave} />}
        </>
      }
    >
      {goesOn && <WhileLive isConnected={connected} />}
      <ReadOnlyNote />
      {problem !== undefined && <ProblemLine problem={problem} />}
      {isTalking && taken !== undefined && <TakenCall taken={taken} agent={call.agent_name} contact={shown} />}
      <Lanes call={call} lines={lines} contact={shown} second={t} onChoose={choose} />
      <div className="CallPage-columns">
        <Transcript
          lines={lines}
          agent={call.agent_name}
          contact={shown}
          chosen={chosen}
          onChoose={({ from }) => choose(Math.floor(from / 1000))}
          isLive={goesOn}
        />
        <div className="CallFacts-column">
          {isTalking && mayChange && taken === undefined && <Whisper id={call.id} agent={call.agent_name} />}
          <CallFacts call={call} />
        </div>
      </div>
      <HangUp id={call.id} name={shown} isOpen={isAsking} onClose={() => setAsking(false)} />
    </Page>
  )
}

/** Shows the live sign in the top bar until the call ends. */
const WhileLive = ({ isConnected }: { readonly isConnected: boolean | undefined }) => {
  useLiveSign(isConnected)
  return null
}

const ResultTag = ({ call: { result } }: { readonly call: OpenCall }) => {
  const word = result?.["outcome"] ?? result?.["result"]
  return typeof word === "string" ? <Tag tone="talk">{word}</Tag> : null
}

/** The lab plays calls faster than real time, while the transcript keeps the times of speech. */
const labSpeed = ({ duration_seconds, transcript }: OpenCall): string => {
  const spoken = Math.max(0, ...transcript.map(({ ended_ms }) => ended_ms)) / 1000
  if (duration_seconds === null || duration_seconds === 0 || spoken < duration_seconds * 1.5) return ""
  return ` at lab speed × ${Math.round(spoken / duration_seconds)}`
}

/** The number, length, time, agent and origin of the call. */
const About = ({ call, isNamed }: { readonly call: OpenCall; readonly isNamed: boolean }) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const zone = useZone()
  const now = useNow()
  const campaign = useQuery(
    rpc.campaigns.get.queryOptions({ id: call.campaign_id ?? "" }, { enabled: call.campaign_id !== null }),
  )
  const { agent_id, agent_name, agent_version, answered_at, duration_seconds, started_at } = call
  const began = new Date(started_at)
  const lasts = duration_seconds ?? (answered_at === null ? undefined : secondsBetween(new Date(answered_at), now))
  const isToday = moment(began, now, zone) === moment(began, began, zone)
  return (
    <>
      {isNamed && otherNumber(call) !== null && <span className="mono">{otherEnd(call)} · </span>}
      {lasts !== undefined && `${duration(lasts)}${labSpeed(call)} · `}
      <time dateTime={started_at} title={utc(began)}>
        {isToday ? `today ${exactClock(began, zone)}` : moment(began, now, zone)}
      </time>
      {" · "}
      <Link to="/$account/agents/$id/{-$tab}" params={{ account: slug, id: agent_id }}>
        {agent_name}
        {agent_version !== null && ` v${agent_version}`}
      </Link>
      {campaign.data !== undefined && (
        <>
          {" · "}
          <Link to="/$account/campaigns/$id" params={{ account: slug, id: campaign.data.id }}>
            {campaign.data.name}
          </Link>
        </>
      )}
    </>
  )
}
