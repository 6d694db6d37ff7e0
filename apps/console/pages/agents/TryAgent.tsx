/** A chat with the agent's draft, in the place of a contact. Each tool call opens, and each answer shows its time. */
import { IconArrowUp, IconRefresh } from "@tabler/icons-react"
import { useMutation } from "@tanstack/react-query"
import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import { Button as AriaButton } from "react-aria-components"
import type { Outputs } from "../../data/AccountPulse.ts"
import { problemOf } from "../../data/Problem.ts"
import { useRpcClient } from "../../data/Rpc.ts"
import { SpeakerArc } from "../../figures/SpeakerArc.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import type { Agent, AgentParts } from "./Agent.ts"
import { ChooseTrialContact } from "./ChooseTrialContact.tsx"
import { isKitChanged } from "./KitDraft.ts"
import type { TrialContacts } from "./TrialContacts.ts"
import { TrialVariables } from "./TrialVariables.tsx"
import { ToolCall } from "./ToolCall.tsx"
import "./TryAgent.css"

type Answer = Outputs["agents"]["preview"]

interface Line {
  readonly of: "agent" | "contact"
  readonly text: string
  readonly tools?: Answer["tool_invocations"]
  readonly seconds?: number
}

/** The unsaved fields that a chat uses. */
const tried = ["system_prompt", "first_message", "language", "model", "temperature", "outcome_schema"] as const

const draftOf = (changes: Partial<Agent>) =>
  Object.fromEntries(tried.filter((field) => field in changes).map((field) => [field, changes[field]]))

type TryProps = AgentParts & { readonly contacts: TrialContacts }

export const TryAgent = (props: TryProps) => {
  const { agent, contacts, draft, mayChange, next } = props
  const [round, setRound] = useState(0)
  const version = draft.isDirty ? next : agent.version
  return (
    <section className="Panel Try" aria-label={`Try v${version}`}>
      <header className="Panel-head">
        <h2 className="panel-title">Try v{version}</h2>
        <div className="Kit-row">
          <ChooseTrialContact label="As contact" form="plain" contacts={contacts} />
          {mayChange && (
            <AriaButton className="ActionMenu-button" aria-label="Begin again" onPress={() => setRound(round + 1)}>
              <IconRefresh aria-hidden />
            </AriaButton>
          )}
        </div>
      </header>
      {!mayChange && <p className="second-line Try-talk">Trying an agent runs its tools. You can look, not change.</p>}
      {mayChange && isKitChanged(draft.changes) && (
        <p className="second-line Try-talk">
          Your changes to tools, playbooks and FAQs are not in this trial. Save them to try them.
        </p>
      )}
      {mayChange && contacts.isReady && (
        <TrialVariables
          contacts={contacts}
          texts={[draft.value.first_message, draft.value.system_prompt]}
          onBegin={() => setRound(round + 1)}
        />
      )}
      {/* Choosing another contact begins another conversation. */}
      {mayChange && !contacts.isReady && <Loading label="Contacts" />}
      {mayChange && contacts.isReady && <Chat key={`${contacts.chosen} ${round}`} {...props} />}
    </section>
  )
}

const Chat = ({ agent, contacts, draft }: TryProps) => {
  const client = useRpcClient()
  const [lines, setLines] = useState<ReadonlyArray<Line>>([])
  const [typed, setTyped] = useState("")
  const end = useRef<HTMLDivElement>(null)
  const ask = useMutation({
    mutationFn: async (before: ReadonlyArray<Line>) => {
      const began = performance.now()
      const unsaved = draftOf(draft.changes)
      const answer = await client.agents.preview.mutate({
        id: agent.id,
        messages: before
          .filter(({ text }) => text !== "")
          .map(({ of, text }) => ({ role: of === "agent" ? "assistant" : "user", content: text })),
        variables: { ...contacts.variables },
        ...(Object.keys(unsaved).length > 0 && { agent: unsaved }),
      })
      const seconds = (performance.now() - began) / 1000
      return [...before, { of: "agent", text: answer.reply, tools: answer.tool_invocations, seconds } as const]
    },
    onSuccess: setLines,
  })
  const { mutate } = ask
  useEffect(() => mutate([]), [mutate])
  useEffect(() => {
    if (lines.length > 1) end.current?.scrollIntoView({ block: "nearest" })
  }, [lines])

  const send = () => {
    const text = typed.trim()
    if (text === "" || ask.isPending) return
    const before: ReadonlyArray<Line> = [...lines, { of: "contact", text }]
    setLines(before)
    setTyped("")
    mutate(before)
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <div className="Try-scroll">
      <div className="Try-talk" role="log" aria-label={`Chat with ${agent.name}`}>
        {lines.map(({ of, seconds, text, tools }, at) => (
          <div key={at} className={`Try-line Try-${of}`}>
            {tools?.map((call) => (
              <ToolCall key={call.id} call={call} />
            ))}
            <p className="Try-who">
              <SpeakerArc of={of} />
              <span>{of === "agent" ? agent.name : `You, as ${contacts.name}`}</span>
              {seconds !== undefined && at > 0 && <span className="Try-time">{seconds.toFixed(2)} s</span>}
            </p>
            <p className="Try-text">
              {text === "" ? <span className="quiet">Waits for the other side to speak.</span> : text}
            </p>
          </div>
        ))}
        {ask.isPending && lines.length === 0 && <Loading label="First words" />}
        {ask.isPending && lines.length > 0 && <p className="second-line">{agent.name} is answering.</p>}
        {ask.isError && <ProblemLine problem={problemOf(ask.error)} />}
        {lines.some(({ tools = [] }) => tools.length > 0) && (
          <p className="label">Tools ran for real, as they would in a call.</p>
        )}
        <div ref={end} />
      </div>
      <div className="Try-box">
        <textarea
          rows={1}
          className="Try-field"
          aria-label="Say something as the contact"
          placeholder="Say something as the contact"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onKey}
        />
        <AriaButton
          className="ActionMenu-button"
          aria-label="Send"
          isDisabled={typed.trim() === "" || ask.isPending}
          onPress={send}
        >
          <IconArrowUp aria-hidden />
        </AriaButton>
      </div>
    </div>
  )
}
