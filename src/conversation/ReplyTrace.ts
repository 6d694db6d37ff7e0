/** What is kept of a reply when it ends: the words that were heard, and its tools, in order. Pure. */
import type { Message } from "../brain/Brain.ts"
import { argumentsOf, cancelled, stillRunning, textOf } from "../brain/ToolPolicy.ts"
import type { Spoken } from "./Command.ts"
import type { Reply, SpokenPiece, Talk, ToolRun } from "./Talk.ts"

/** The words of a piece that were heard. */
export type HeardOf = (piece: SpokenPiece) => string

/** What is kept of a reply: for the history, and for the record. */
interface Kept {
  readonly messages: ReadonlyArray<Message>
  readonly spoken: ReadonlyArray<Spoken>
}

/** One entry of what is kept: successive pieces, which form one utterance, or a tool. */
type TraceGroup = { readonly utterance: Array<SpokenPiece> } | { readonly run: ToolRun }

/** The reply's trace in order. A filler is an utterance of its own, since the history leaves it out. */
const groupTrace = (talk: Talk, reply: Reply): ReadonlyArray<TraceGroup> => {
  const pieces = new Map(reply.pieces.map((piece) => [piece.id, piece]))
  const runs = new Map(talk.tools.map((run) => [run.id, run]))
  const groups: Array<TraceGroup> = []
  for (const part of reply.trace) {
    if ("call" in part) {
      const run = runs.get(part.call)
      if (run !== undefined) groups.push({ run })
      continue
    }
    const piece = pieces.get(part.piece)
    if (piece === undefined) continue
    const last = groups.at(-1)
    const isJoined = last !== undefined && "utterance" in last && last.utterance[0]?.filler === piece.filler
    // A voice model has each of its sounds as a message of its own.
    if (isJoined && piece.sound === undefined && last.utterance[0]?.sound === undefined) {
      last.utterance.push(piece)
    } else groups.push({ utterance: [piece] })
  }
  return groups
}

/** The heard words of an utterance, from the beginning of its first piece to the end of the last one that was heard. */
const cutToHeard = (talk: Talk, utterance: ReadonlyArray<SpokenPiece>, heardOf: HeardOf) => {
  const [first] = utterance
  const last = utterance.findLast((piece) => heardOf(piece) !== "")
  if (first === undefined || last === undefined) return null
  const text = joinWords(utterance.map(heardOf))
  const isCut = text.length < joinWords(utterance.map((piece) => piece.text)).length
  return {
    message: {
      role: "agent",
      text,
      ...(isCut ? { interrupted: true } : {}),
      ...(first.sound === undefined ? {} : { sound: first.sound }),
    } as const,
    started_ms: utteredFrom(talk, first),
    ended_ms: utteredTo(talk, last),
    isFiller: first.filler,
  }
}

const joinWords = (texts: ReadonlyArray<string>): string => texts.filter((text) => text !== "").join(" ")

const toolMessageOf = ({ answer, call, id, state }: ToolRun): Message => ({
  role: "tool",
  text: textOf(answer ?? (state === "waiting" ? cancelled : stillRunning)),
  tool_name: call.name,
  arguments: argumentsOf(call),
  call: id,
  ...(call.meta === undefined ? {} : { meta: call.meta }),
})

/** The reply's heard words and its tools, in order. */
export const traceOf = (talk: Talk, reply: Reply, heardOf: HeardOf): Kept => {
  const messages: Array<Message> = []
  const spoken: Array<Spoken> = []
  for (const group of groupTrace(talk, reply)) {
    if ("run" in group) {
      messages.push(toolMessageOf(group.run))
      continue
    }
    const heard = cutToHeard(talk, group.utterance, heardOf)
    if (heard === null) continue
    const { ended_ms, isFiller, message, started_ms } = heard
    const { sound: _, ...words } = message
    spoken.push({ ...words, started_ms, ended_ms })
    if (!isFiller) messages.push(message)
  }
  return { messages, spoken }
}

const utteredFrom = ({ playing }: Talk, { id, started_ms }: SpokenPiece) =>
  playing?.piece === id ? playing.started_ms : started_ms
const utteredTo = ({ at, playing }: Talk, { ended_ms, id, state }: SpokenPiece) =>
  state === "over" ? ended_ms : playing?.piece === id ? playing.started_ms + playing.played_ms : at
