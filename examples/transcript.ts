/** One call word by word: who said what and when, and the tools' arguments and results. */
import type { Contact } from "./campaign.ts"
import type { Parley } from "./parley.ts"
import { style, title } from "./show.ts"

/** The words and the tool calls of a call. */
export interface Conversation {
  readonly transcript: ReadonlyArray<{
    readonly role: "agent" | "caller" | "tool"
    readonly text: string
    readonly started_ms: number
    readonly ended_ms: number
    readonly tool_invocation_id?: string
  }>
  readonly tool_invocations: ReadonlyArray<{
    readonly id: string
    readonly tool_name: string
    readonly arguments: unknown
    readonly result?: unknown
    readonly error?: { readonly code: string; readonly message: string }
  }>
}

/** The response of `GET /api/v1/calls/{id}`. */
interface Call extends Conversation {
  readonly to: string
}

/** Shows the first call in which the agent looked something up. */
export const showOneCall = async (parley: Parley, contacts: ReadonlyArray<Contact>) => {
  for (const { custom_fields, last_call_id, outcome } of contacts) {
    if (outcome !== "answered" || last_call_id === null) continue
    const call = await parley.get<Call>(`/api/v1/calls/${last_call_id}`)
    if (!call.tool_invocations.some(({ tool_name }) => tool_name === "lookup_faq")) continue
    title(`One of the calls: ${call.to}, ${clock(call.transcript.at(-1)?.ended_ms ?? 0).trim()} minutes of phone time`)
    return showTranscript(call, custom_fields["first_name"] ?? "Caller")
  }
  throw new Error("In none of the calls did the agent look anything up.")
}

export const showTranscript = (call: Conversation, caller: string, agent = "Robin") => {
  for (const { role, text, started_ms, tool_invocation_id } of call.transcript) {
    const who = { agent, caller, tool: "tool" }[role].padEnd(8)
    const tool = call.tool_invocations.find(({ id }) => id === tool_invocation_id)
    const words = tool === undefined ? text : `${tool.tool_name}(${JSON.stringify(tool.arguments)})`
    console.log(`  ${style("dim", clock(started_ms))}  ${style(role === "tool" ? "yellow" : "cyan", who)} ${words}`)
    if (tool !== undefined) {
      console.log(`${" ".repeat(18)}${style("dim", `→ ${shortened(JSON.stringify(tool.result ?? tool.error))}`)}`)
    }
  }
}

const clock = (milliseconds: number) => {
  const seconds = Math.floor(milliseconds / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`.padStart(5)
}

const shortened = (text: string) => (text.length > 220 ? `${text.slice(0, 219)}…` : text)
