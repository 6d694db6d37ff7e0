/** A call as lines in the order in which they were heard. Each answer has the silence before it, split by cause. */
import type { OpenCall } from "./Call.ts"

type Entry = OpenCall["transcript"][number]
type Turn = OpenCall["turns"][number]
export type ToolCall = OpenCall["tool_invocations"][number]

/** The parts of a silence in their order, with their labels. */
export const parts = [
  ["turn", "end of turn"],
  ["words", "recogniser"],
  ["tool", "tool"],
  ["model", "model"],
  ["voice", "voice"],
] as const
export type Part = (typeof parts)[number][0]
export const wordOf = Object.fromEntries(parts) as Record<Part, string>

export interface Silence {
  /** Milliseconds. */
  readonly total: number
  readonly parts: ReadonlyArray<{ readonly part: Part; readonly ms: number }>
  readonly note: string | undefined
}

export interface Line {
  readonly key: string
  readonly kind: "agent" | "contact" | "person" | "tool" | "whisper"
  readonly text: string
  readonly from: number
  readonly to: number
  readonly isInterrupted: boolean
  readonly silence: Silence | undefined
  readonly tool: ToolCall | undefined
}

/** The longest silence that feels natural, in milliseconds. */
export const aim = 800

/** The milliseconds of each part. The rest belongs to the voice: from the model's words until they are heard. */
const spentIn = ({ brain_ms, endpoint_ms, first_text_ms, timings, tools_ms }: Turn) => {
  if (timings === undefined || timings.voice_to_voice_ms === null) {
    return { turn: endpoint_ms, words: 0, tool: tools_ms, model: first_text_ms ?? Math.max(0, brain_ms - tools_ms) }
  }
  const { decision_ms, first_token_ms, first_words_ms, transcript_ms, voice_off_ms } = timings
  const tool = Math.min(tools_ms, first_token_ms ?? 0)
  return {
    turn: (voice_off_ms ?? 0) + (decision_ms ?? 0),
    words: transcript_ms ?? 0,
    tool,
    model: (first_token_ms ?? 0) - tool + (first_words_ms ?? 0),
  }
}

const silenceOf = (turn: Turn): Silence | undefined => {
  const { fillers = 0, first_word_ms, response_ms } = turn
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
  const spent = spentIn(turn)
  const parts = [
    take("turn", spent.turn),
    take("words", spent.words),
    take("tool", spent.tool),
    take("model", spent.model),
    take("voice", left),
  ].filter(({ ms }) => ms > 0)
  return { total: response_ms, parts, note: fillers > 0 ? "after a filler word" : undefined }
}

const kinds = { agent: "agent", caller: "contact", person: "person", tool: "tool", whisper: "whisper" } as const

const isSpoken = ({ kind }: Line): boolean => kind === "agent" || kind === "contact" || kind === "person"

/** The lines that a participant of the call can hear. */
export const spokenOf = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> => lines.filter(isSpoken)

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

/** The last line that has begun at this second. */
export const lineAt = (lines: ReadonlyArray<Line>, second: number): Line | undefined =>
  lines.findLast((line) => isSpoken(line) && Math.floor(line.from / 1000) <= second)

export interface Timing {
  readonly firstWord: number | undefined
  readonly median: number | undefined
  readonly longest: { readonly ms: number; readonly at: number } | undefined
  readonly interruptions: number
  /** The longest time from a caller's first sound until the agent was silent. */
  readonly silencedAfter: number | undefined
  /** The mean of each part of the silences before answers to the caller. */
  readonly spent: ReadonlyArray<{ readonly part: Part; readonly ms: number }>
}

/** The mean milliseconds of each part over the silences before answers to the caller. Parts below 5 ms are left out. */
const meanOf = (turns: ReadonlyArray<Turn>): Timing["spent"] => {
  const silences = turns.flatMap((turn) => (turn.response_ms === null ? [] : (silenceOf(turn) ?? [])))
  if (silences.length === 0) return []
  const spent = silences.flatMap(({ parts }) => parts)
  return parts.flatMap(([part]) => {
    const ms = spent.reduce((sum, one) => (one.part === part ? sum + one.ms : sum), 0) / silences.length
    return ms < 5 ? [] : [{ part, ms }]
  })
}

export const timingOf = ({ transcript, turns }: Pick<OpenCall, "transcript" | "turns">): Timing => {
  const answers = turns
    .flatMap(({ first_word_ms, response_ms }) =>
      response_ms === null || first_word_ms === null ? [] : [{ ms: response_ms, at: first_word_ms }],
    )
    .toSorted((a, b) => a.ms - b.ms)
  const silenced = turns.flatMap(({ timings }) => timings?.interruption_ms ?? [])
  return {
    firstWord: turns[0]?.first_word_ms ?? undefined,
    median: answers[Math.floor(answers.length / 2)]?.ms,
    longest: answers.at(-1),
    silencedAfter: silenced.length === 0 ? undefined : Math.max(...silenced),
    spent: meanOf(turns),
    interruptions: transcript.filter(({ interrupted, role }) => role === "agent" && interrupted === true).length,
  }
}
