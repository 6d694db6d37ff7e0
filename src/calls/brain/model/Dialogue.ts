/** What was said so far, in the words of a language model's interface. Pure. */
import type { ModelMessage } from "ai"
import type { Message } from "../Brain.ts"

/** Providers want the user to speak first; on a call that the agent opens, this is what has happened. */
const opening: ModelMessage = { role: "user", content: "[The call is answered.]" }

const cutShort = "[interrupted by the caller]"

/** A tool's result goes with the call that asked for it, so each is a pair of messages. */
export const messagesOf = (history: ReadonlyArray<Message>): ReadonlyArray<ModelMessage> => [
  opening,
  ...history.flatMap((message, at): ReadonlyArray<ModelMessage> => {
    const { arguments: input = {}, interrupted, role, text, tool_name: toolName = "tool" } = message
    if (role === "caller") return [{ role: "user", content: text }]
    if (role === "agent") return [{ role: "assistant", content: interrupted === true ? `${text} ${cutShort}` : text }]
    const toolCallId = `earlier_${at}`
    return [
      { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName, input }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: text } }] },
    ]
  }),
]
