/** The past of a talk that another process began, as its record has it: the conductor goes on from there. Pure. */
import type { Message } from "../brain/Brain.ts"
import type { Call, ToolInvocation, TranscriptEntry } from "../domain/Call.ts"
import { isObject } from "../domain/JsonValue.ts"
import { wantsNoCalls } from "../languages/OptOut.ts"
import type { Talk } from "./Talk.ts"

export interface Past {
  readonly history: ReadonlyArray<Message>
  /** The other side's last words, if the agent has not answered them, and when they ended. */
  readonly owed: { readonly text: string; readonly ended_ms: number } | null
  /** When the last word of either side ended. */
  readonly quiet_since: number
  /** How many replies the agent has given. */
  readonly turns: number
  /** The disclosure was not heard to its end, and is said again. */
  readonly is_undisclosed: boolean
}

export const from = ({
  disclosure,
  tool_invocations,
  transcript,
  turns,
}: Pick<Call, "disclosure" | "tool_invocations" | "transcript" | "turns">): Past => {
  // A reply is over when its turn is in the record. Words after the last answered ones are still to be answered, even if
  // the agent had said a part of its reply.
  const answered_ms = Math.max(-1, ...turns.map(({ caller_ended_ms }) => caller_ended_ms ?? -1))
  const isOwed = ({ ended_ms, role }: TranscriptEntry) => role === "caller" && ended_ms > answered_ms
  const owed = transcript.filter(isOwed)
  const last = owed.at(-1)
  // A model does not continue half a reply of its own, so the question is repeated after it.
  const isHalfSaid = owed.length > 0 && transcript.at(-1)?.role === "agent"
  const inOrder = isHalfSaid ? [...transcript.filter((entry) => !isOwed(entry)), ...owed] : transcript
  const invocations = new Map(tool_invocations.map((invocation) => [invocation.id, invocation]))
  return {
    history: inOrder.map((entry) => messageOf(entry, invocations.get(entry.tool_invocation_id ?? ""))),
    owed: last === undefined ? null : { text: owed.map(({ text }) => text).join(" "), ended_ms: last.ended_ms },
    quiet_since: Math.max(0, ...transcript.map(({ ended_ms }) => ended_ms)),
    turns: turns.length,
    is_undisclosed: disclosure !== null && disclosure.heard_at === null,
  }
}

/** Puts a talk that begins here where the talk of the other process was. */
export const goOn = (talk: Talk, { history, is_undisclosed, owed, quiet_since, turns }: Past): Talk => {
  // A wish not to be called is written first.
  const isToOpen = is_undisclosed && !wantsNoCalls(owed?.text ?? "")
  const owedHere = owed === null ? null : { ...owed, silent_ms: null, understood_ms: owed.ended_ms }
  return {
    ...talk,
    opened: !isToOpen,
    noticed: !isToOpen,
    history,
    caller: { ...talk.caller, owed: owedHere },
    quiet_since,
    turns,
  }
}

const roles = { agent: "agent", caller: "caller", person: "person", whisper: "operator", tool: "tool" } as const

const messageOf = (
  { interrupted, role, text, tool_name }: TranscriptEntry,
  invocation: ToolInvocation | undefined,
): Message => ({
  role: roles[role],
  text,
  ...(interrupted === true ? { interrupted } : {}),
  ...(tool_name === undefined ? {} : { tool_name }),
  ...(invocation === undefined
    ? {}
    : { arguments: isObject(invocation.arguments) ? invocation.arguments : {}, call: invocation.id }),
})
