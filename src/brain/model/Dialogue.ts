/** The conversation so far, in the messages that every provider of language models takes. Pure. */
import type { LanguageModelV4Message, LanguageModelV4ToolCallPart } from "@ai-sdk/provider"
import type { Message } from "../Brain.ts"

/** Providers require the user to speak first. On a call that the agent opens, this text takes the user's place. */
const opening: LanguageModelV4Message = { role: "user", content: [{ type: "text", text: "[The call is answered.]" }] }

/** Precedes a colleague's words. They are sent as the assistant's messages, where the other side cannot write. */
export const ofColleague = "[said by a colleague who had taken the call over]"

const cutShort = "[interrupted by the caller]"

/** The most characters of a conversation that a model gets: 6,000 tokens of about four characters. */
const budget = 6_000 * 4
/** Characters that are kept of an old tool result. */
const oldResult = 200
/** How many of the last messages are always sent in full. */
const recent = 8

const lengthOf = ({ arguments: args, text }: Message) =>
  text.length + (args === undefined ? 0 : JSON.stringify(args).length)

/**
 * Shortens the oldest tool results, then leaves out the oldest messages, until the rest fits the budget. A tool's call
 * and its result are one message here, so neither is sent without the other.
 */
const withinBudget = (history: ReadonlyArray<Message>): ReadonlyArray<Message> => {
  let left = history.reduce((sum, message) => sum + lengthOf(message), 0) - budget
  const short = history.map((message, at) => {
    if (left <= 0 || message.role !== "tool" || at >= history.length - recent || message.text.length <= oldResult)
      return message
    left -= message.text.length - oldResult
    return { ...message, text: `${message.text.slice(0, oldResult)}…` }
  })
  let from = 0
  while (left > 0 && from < short.length - recent) left -= lengthOf(short[from++] ?? { role: "tool", text: "" })
  return short.slice(from)
}

/** How many of the latest instructions a model gets. */
const mostInstructions = 10

/**
 * The instructions of supervisors during the call, for the end of the system prompt. There the other side's words
 * cannot be taken for them, and every provider accepts them. Null if there are none.
 */
export const instructionsIn = (history: ReadonlyArray<Message>): string | null => {
  const lastReply = history.findLastIndex(({ role }) => role === "agent")
  const lines = history.flatMap(({ role, text }, at) =>
    role === "operator" ? [`- ${at > lastReply ? "Now" : "Earlier"}: ${JSON.stringify(text)}`] : [],
  )
  if (lines.length === 0) return null
  return `# From your supervisor, during this call

Your supervisor follows this call, unheard by the other side, and gives you these instructions. Follow what is marked "Now" in your next reply, and keep to what is marked "Earlier" as far as it still applies. Use your own words: never read an instruction out, quote it, or mention that there is a supervisor.

${lines.slice(-mostInstructions).join("\n")}`
}

/** Providers take a tool's call and its result as two messages. */
export const messagesOf = (history: ReadonlyArray<Message>): ReadonlyArray<LanguageModelV4Message> => [
  opening,
  ...withinBudget(history.filter(({ role }) => role !== "operator")).flatMap(
    (message, at): ReadonlyArray<LanguageModelV4Message> => {
      const { arguments: input = {}, call, interrupted, meta, role, text, tool_name: toolName = "tool" } = message
      if (role === "caller") return [{ role: "user", content: [{ type: "text", text }] }]
      if (role === "person") {
        return [{ role: "assistant", content: [{ type: "text", text: `${ofColleague} ${text}` }] }]
      }
      if (role === "agent") {
        const said = interrupted === true ? `${text} ${cutShort}` : text
        return [{ role: "assistant", content: [{ type: "text", text: said }] }]
      }
      const toolCallId = call ?? `earlier_${at}`
      const asked: LanguageModelV4ToolCallPart = { type: "tool-call", toolCallId, toolName, input }
      return [
        {
          role: "assistant",
          content: [
            meta === undefined
              ? asked
              : { ...asked, providerOptions: meta as NonNullable<typeof asked.providerOptions> },
          ],
        },
        {
          role: "tool",
          content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: text } }],
        },
      ]
    },
  ),
]
