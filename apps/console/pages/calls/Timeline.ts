/** A call as lines in the order in which they were heard, each answer with the silence before it and where that went. */
import type { OpenCall } from "./Call.ts"

type Entry = OpenCall["transcript"][number]
type Turn = OpenCall["turns"][number]
export type ToolCall = OpenCall["tool_invocations"][number]

export type Part = "turn" | "model" | "tool" | "voice"

export interface Silence {
  /** Milliseconds. */
  readonly total: number
  readonly parts: ReadonlyArray<{ readonly part: Part; readonly ms: number }>
  readonly note: string | undefined
}

export interface Line {
  readonly key: string
  readonly kind: "agent" | "contact" | "tool"
  readonly text: string
  readonly from: number
  readonly to: number
  readonly isInterrupted: boolean
  readonly silence: Silence | undefined
  readonly tool: ToolCall | undefined
}

/** What a person finds natural, in milliseconds. */
export const aim = 800

/** The voice is what is left: from the first words that the model had to the first that was heard. */
const silenceOf = (turn: Turn): Silence | undefined => {
  const { brain_ms, endpoint_ms, fillers = 0, first_word_ms, response_ms, tools_ms } = turn
  if (first_word_ms === null) return undefined
  if (response_ms === null) {
    if (turn.turn !== 1) return undefined
    const parts = [{ part: "voice", ms: first_word_ms }] as const
    return { total: first_word_ms, parts, note: "greeting, measured from the answer" }
  }
  let left = response_ms
  const take = (part: Part, ms: number) => {
    const taken = Math.max(0, Math.min(ms, left))
    left -= taken
    return { part, ms: taken }
  }
  const parts = [
    take("turn", endpoint_ms),
    take("tool", tools_ms),
    take("model", turn.first_text_ms ?? Math.max(0, brain_ms - tools_ms)),
    take("voice", left),
  ].filter(({ ms }) => ms > 0)
  return { total: response_ms, parts, note: fillers > 0 ? "after a filler word" : undefined }
}

const kinds = { agent: "agent", caller: "contact", tool: "tool" } as const

export const linesOf = ({
  tool_invocations,
  transcript,
  turns,
}: Pick<OpenCall, "tool_invocations" | "transcript" | "turns">): ReadonlyArray<Line> => {
  const tools = new Map(tool_invocations.map((tool) => [tool.id, tool]))
  const byFirstWord = new Map(turns.map((turn) => [turn.first_word_ms, turn]))
  return transcript
    .map((entry: Entry, at) => {
      const turn = entry.role === "agent" ? byFirstWord.get(entry.started_ms) : undefined
      return {
        key: `${at}`,
        kind: kinds[entry.role],
        text: entry.text,
        from: entry.started_ms,
        to: entry.ended_ms,
        isInterrupted: entry.interrupted ?? false,
        silence: turn && silenceOf(turn),
        tool: tools.get(entry.tool_invocation_id ?? ""),
      }
    })
    .toSorted((a, b) => a.from - b.from)
}

/** The line that is spoken at that second. */
export const lineAt = (lines: ReadonlyArray<Line>, second: number): Line | undefined =>
  lines.findLast(({ from, kind }) => kind !== "tool" && Math.floor(from / 1000) <= second)

export interface Timing {
  readonly firstWord: number | undefined
  readonly median: number | undefined
  readonly longest: { readonly ms: number; readonly at: number } | undefined
  readonly interruptions: number
}

export const timingOf = ({ transcript, turns }: Pick<OpenCall, "transcript" | "turns">): Timing => {
  const answers = turns
    .flatMap(({ first_word_ms, response_ms }) =>
      response_ms === null || first_word_ms === null ? [] : [{ ms: response_ms, at: first_word_ms }],
    )
    .toSorted((a, b) => a.ms - b.ms)
  return {
    firstWord: turns[0]?.first_word_ms ?? undefined,
    median: answers[Math.floor(answers.length / 2)]?.ms,
    longest: answers.at(-1),
    interruptions: transcript.filter(({ interrupted, role }) => role === "agent" && interrupted === true).length,
  }
}
