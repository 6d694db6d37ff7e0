/** The one reply slot: what the agent is about to say, how it is handed to the line, and what is kept of it. Pure. */
import type { Message } from "../brain/Brain.ts"
import { pieces as piecesOf } from "../brain/Pieces.ts"
import { mostSteps, none } from "../brain/ToolPolicy.ts"
import type { EndReason, Turn } from "../domain/Call.ts"
import { heardText } from "../speech/HeardText.ts"
import type { Spoken } from "./Command.ts"
import { noteDisclosure } from "./DisclosureHeard.ts"
import { type HeardOf, traceOf } from "./ReplyTrace.ts"
import { type FirstSound, timingsOf } from "./Stages.ts"
import { emit, inReality, isWhole, sentencesOf, unplayed } from "./Talk.ts"
import type { Reply, SpokenPiece, Talk, Then } from "./Talk.ts"
import type { TalkEvent } from "./TalkEvent.ts"
import { piecesAhead, wrapUpMs } from "./Timers.ts"

/** Characters of one reply; no caller would listen to more. */
const longestReply = 4_000

export interface Opening {
  readonly started_by: Turn["started_by"]
  readonly afterwards?: Then
  readonly interruptible?: boolean
  readonly greets?: boolean
}

const listen: Then = { _tag: "Listen" }

/** Takes the slot, which must be free. */
const begin = (
  talk: Talk,
  { greets = false, interruptible, started_by, afterwards = listen }: Opening,
): readonly [Talk, Reply] => {
  const reply: Reply = {
    id: talk.last_id + 1,
    started_by,
    caller: started_by === "caller" ? talk.caller.owed : null,
    began_ms: talk.at,
    token_ms: null,
    first: null,
    silenced_after_ms: null,
    interruptible: interruptible ?? talk.setup.interruptible,
    greets,
    discloses: 0,
    step: 0,
    thinking: false,
    last_sign_ms: talk.at,
    retried: false,
    yielded: false,
    noted: 0,
    trace: [],
    pieces: [],
    asked: none,
    afterwards,
    usage: null,
    first_text_ms: null,
    thought_ms: 0,
    tools_ms: 0,
    both_ms: 0,
    thought_until: talk.at,
    tools_until: talk.at,
  }
  return [{ ...talk, reply, last_id: reply.id, caller: { ...talk.caller, owed: null } }, reply]
}

/** Begins a reply of fixed words. */
export const say = (talk: Talk, text: string, opening: Opening): Talk => {
  const [taken, reply] = begin(talk, opening)
  return addWords(taken, reply, text)
}

/** Begins a reply of the brain. */
export const answer = (talk: Talk, opening: Opening): Talk => {
  const [taken, reply] = begin(talk, opening)
  return ask(taken, reply)
}

/** Adds fixed words to an existing reply. */
export const addWords = (talk: Talk, reply: Reply, text: string, filler = false): Talk =>
  (talk.setup.has_voice_model ? [text] : piecesOf(text)).reduce<Talk>(
    (talk, piece) => addPiece(talk, talk.reply ?? reply, piece, filler),
    { ...talk, reply },
  )

/** Adds a filler while a tool is slow. The fillers take turns, so that none is repeated at once. */
export const addFiller = (talk: Talk, reply: Reply): Talk => {
  const { fillers } = sentencesOf(talk)
  const words = fillers[talk.fillers % fillers.length] ?? fillers[0]
  return addWords({ ...talk, fillers: talk.fillers + 1 }, reply, words, true)
}

const addPiece = (talk: Talk, reply: Reply, text: string, filler = false, sound?: string): Talk => {
  const id = talk.last_id + 1
  const own = sound === undefined ? {} : { sound }
  const piece: SpokenPiece = { id, text, ...own, filler, state: "waiting", started_ms: talk.at, ended_ms: talk.at }
  return {
    ...talk,
    last_id: id,
    reply: { ...reply, pieces: [...reply.pieces, piece], trace: [...reply.trace, { piece: id }] },
  }
}

/** Asks the brain for the next step, with everything that was said and done so far. */
export const ask = (talk: Talk, reply: Reply): Talk => {
  const step = reply.step + 1
  const asked = { ...reply, step, thinking: true, last_sign_ms: talk.at }
  return emit(
    {
      ...talk,
      reply: asked,
      news: false,
      tools: talk.tools.map((run) => (run.reply === null ? { ...run, shown: true } : run)),
    },
    {
      _tag: "Think",
      reply: reply.id,
      step,
      room: Math.max(0, piecesAhead - unplayed(reply).filter(({ filler }) => !filler).length),
      history: historyOf({ ...talk, reply }),
      must_speak: step >= mostSteps,
      model: reply.usage?.model ?? null,
      wrap_up: talk.at >= talk.setup.max_ms - wrapUpMs,
    },
  )
}

/** What was said and done so far, the reply in progress included. */
export const historyOf = (talk: Talk): ReadonlyArray<Message> =>
  talk.reply === null ? talk.history : [...talk.history, ...traceOf(talk, talk.reply, ({ text }) => text).messages]

/**
 * The same without fixed sentences that are still being heard, since the part of them that will be kept is not known
 * yet.
 */
export const settledHistoryOf = (talk: Talk): ReadonlyArray<Message> => [
  ...talk.history,
  ...historyOf(talk)
    .slice(talk.history.length)
    .filter(({ call, sound }) => call !== undefined || sound !== undefined),
]

/** A voice model begins to speak, in words that are known only later. */
export const onSpeaks = (talk: Talk, reply: Reply, sound: string, after_ms: number): Talk => {
  const first_text_ms = reply.first_text_ms ?? after_ms
  const signed = { ...reply, last_sign_ms: talk.at, first_text_ms, token_ms: reply.token_ms ?? talk.at }
  // The caller is gone and hears nothing more, but the reply's tools still count.
  return talk.gone === null
    ? addPiece(talk, signed, "", false, sound)
    : emit({ ...talk, reply: signed }, { _tag: "Forget", sounds: [sound] })
}

type Worded = Extract<TalkEvent, { readonly _tag: "Worded" }>

/** More of a piece's words is known. */
export const onWorded = (talk: Talk, { of, text }: Worded): Talk => {
  const { reply } = talk
  const isWorded = ({ id, sound }: SpokenPiece) => ("sound" in of ? sound === of.sound : id === of.piece)
  const piece = reply?.pieces.find(isWorded)
  if (reply === null || piece === undefined || piece.text === text) return talk
  const pieces = reply.pieces.map((other) => (other === piece ? { ...piece, text } : other))
  const reworded: Talk = { ...talk, reply: { ...reply, pieces, last_sign_ms: talk.at } }
  return piece.state === "playing" ? emit(reworded, { _tag: "Reword", piece: piece.id, text }) : reworded
}

/** Adds a sentence of the brain. */
export const onSaid = (talk: Talk, reply: Reply, text: string, after_ms: number): Talk => {
  const first_text_ms = reply.first_text_ms ?? after_ms
  const signed = { ...reply, last_sign_ms: talk.at, first_text_ms, token_ms: reply.token_ms ?? talk.at }
  const length = reply.pieces.reduce((sum, piece) => sum + piece.text.length + 1, 0)
  // The words can no longer be heard, but the reply's tools still count.
  if (talk.gone !== null) return emit({ ...talk, reply: signed }, { _tag: "MakeRoom", reply: reply.id })
  if (length + text.length <= longestReply) return addPiece(talk, signed, text)
  return emit({ ...talk, reply: { ...signed, thinking: false } }, { _tag: "StopThinking" })
}

/**
 * Hands the next pieces to the line: none while the other side does not listen, and never more than `piecesAhead` that
 * were not heard.
 */
export const handOut = (talk: Talk): Talk => {
  const { gone, held_since, peer_held_since, reply } = talk
  if (reply === null || held_since !== null || peer_held_since !== null || gone !== null) return talk
  let onLine = reply.pieces.filter(({ state }) => state === "playing").length
  let after: Talk = talk
  const pieces = reply.pieces.map((piece) => {
    if (piece.state !== "waiting" || onLine >= piecesAhead) return piece
    onLine++
    const { id, sound, text } = piece
    const own = sound === undefined ? {} : { sound }
    after = emit(after, { _tag: "Play", piece: { id, text, ...own, interruptible: reply.interruptible } })
    return { ...piece, state: "playing" as const, started_ms: talk.at }
  })
  const isAll = isWhole(after, reply) && pieces.every(({ state }) => state !== "waiting")
  const yields = isAll && pieces.length > 0 && !reply.yielded
  after = {
    ...after,
    reply: { ...reply, pieces, first: reply.first ?? firstOf(pieces), yielded: reply.yielded || yields },
  }
  return yields ? emit(after, { _tag: "Yield" }) : after
}

type Voiced = Extract<TalkEvent, { readonly _tag: "Voiced" }>

const firstOf = (pieces: ReadonlyArray<SpokenPiece>): FirstSound | null => {
  const [piece] = pieces
  if (piece === undefined || piece.state !== "playing") return null
  return { piece: piece.id, handed_ms: piece.started_ms, audio_ms: null, frame_ms: null }
}

/** The first packet of a piece is on its way. */
export const onVoiced = (talk: Talk, { audio_ms, frame_ms, piece }: Voiced): Talk => {
  const { reply } = talk
  if (reply?.first?.piece !== piece || reply.first.frame_ms !== null) return talk
  return { ...talk, reply: { ...reply, first: { ...reply.first, audio_ms, frame_ms } } }
}

/** A piece was heard to its end. */
export const onPlayed = (talk: Talk, id: number, started_ms: number, ended_ms: number): Talk => {
  const { reply } = talk
  if (reply === null || !reply.pieces.some((piece) => piece.id === id && piece.state === "playing")) return talk
  const pieces = reply.pieces.map((piece) =>
    piece.id === id ? { ...piece, state: "over" as const, started_ms, ended_ms } : piece,
  )
  const after: Talk = {
    ...talk,
    reply: { ...reply, pieces, last_sign_ms: talk.at },
    quiet_since: Math.max(talk.quiet_since, ended_ms),
  }
  const isThought = reply.step > 0 && pieces.some((piece) => piece.id === id && !piece.filler)
  return isThought ? emit(after, { _tag: "MakeRoom", reply: reply.id }) : after
}

/** Notes each utterance as soon as it was heard to its end, so that later utterances follow it in the record. */
export const note = (talk: Talk): Talk => {
  const { reply } = talk
  if (reply === null || reply.pieces.every(({ state }) => state !== "over")) return talk
  const { spoken } = traceOf(talk, reply, ({ state, text }) => (state === "over" ? text : ""))
  const last = reply.trace.at(-1)
  // While the reply is being generated, further words may join its last utterance.
  const mayGrow = !isWhole(talk, reply) && last !== undefined && "piece" in last
  const isUnfinished = (one: Spoken, at: number) => one.interrupted === true || (mayGrow && at === spoken.length - 1)
  const unfinished = spoken.findIndex(isUnfinished)
  const heard = spoken.slice(reply.noted, unfinished < 0 ? spoken.length : unfinished)
  if (heard.length === 0) return talk
  const kept = { ...talk, reply: { ...reply, noted: reply.noted + heard.length } }
  return emit(kept, ...heard.map((spoken) => ({ _tag: "Note", spoken }) as const))
}

/** Ends a reply that was heard to its end. */
export const finish = (talk: Talk, reply: Reply): Talk => commit(talk, reply, ({ text }) => text, false)

/** Ends the reply early: the part that was heard is kept, and nothing more is spoken. */
export const cut = (talk: Talk): Talk => {
  const { playing, reply } = talk
  if (reply === null) return talk
  const heard = (piece: SpokenPiece) =>
    piece.state === "over"
      ? piece.text
      : piece.state === "playing" && playing?.piece === piece.id
        ? heardText(piece.text, playing.played_ms, playing.length_ms, talk.setup.language)
        : ""
  const isOnLine = talk.held_since !== null || reply.pieces.some(({ state }) => state === "playing")
  const stopped = isOnLine ? emit(talk, { _tag: "Cut" }) : talk
  const over = commit(forgetUnsaid(emit(stopped, { _tag: "StopThinking" }), reply), reply, heard, true)
  // A greeting of which nothing was heard has to be said again: it may have to say who is calling.
  return reply.greets && reply.pieces.every((piece) => heard(piece) === "") ? { ...over, opened: false } : over
}

/** Makes a voice model forget the sounds that the line never got, because the model believes that it said them. */
const forgetUnsaid = (talk: Talk, { pieces }: Reply): Talk => {
  const sounds = pieces.flatMap(({ sound, state }) => (sound !== undefined && state === "waiting" ? [sound] : []))
  return sounds.length === 0 ? talk : emit(talk, { _tag: "Forget", sounds })
}

/** Ends the talk. */
export const end = (talk: Talk, reason: EndReason): Talk =>
  emit({ ...cut(talk), ended: reason }, { _tag: "End", reason })

/** Ends the call once the reply was heard, unless it ends in a transfer. */
export const leaveAfter = (reply: Reply): Reply =>
  reply.afterwards._tag === "Listen"
    ? { ...reply, afterwards: { _tag: "End", reason: "agent_hung_up", reopens: true } }
    : reply

/** Empties the slot. Running tools continue; waiting ones are cancelled. */
const commit = (talk: Talk, reply: Reply, heardOf: HeardOf, isCut: boolean): Talk => {
  const { messages, spoken } = traceOf(talk, reply, heardOf)
  const traced = new Set(reply.trace.flatMap((part) => ("call" in part ? [part.call] : [])))
  const tools = talk.tools.flatMap((run) =>
    !traced.has(run.id) ? [run] : run.state === "running" ? [{ ...run, reply: null }] : [],
  )
  const quiet = Math.max(talk.quiet_since, ...spoken.map(({ ended_ms }) => ended_ms))
  const after: Talk = {
    ...talk,
    reply: null,
    held_since: null,
    history: [...talk.history, ...messages, ...talk.later],
    later: [],
    tools,
    quiet_since: quiet,
    turns: talk.turns + 1,
  }
  return noteDisclosure(
    emit(after, ...spoken.slice(reply.noted).map((spoken) => ({ _tag: "Note", spoken }) as const), {
      _tag: "NoteTurn",
      turn: turnOf(talk, reply, spoken, heardOf, isCut),
      cost: reply.usage?.cost ?? 0,
    }),
    reply,
    heardOf,
  )
}

const turnOf = (talk: Talk, reply: Reply, spoken: ReadonlyArray<Spoken>, heardOf: HeardOf, isCut: boolean): Turn => {
  const words = reply.pieces.filter(({ filler }) => !filler)
  const first_word_ms = spoken[0]?.started_ms ?? null
  const said = words.map(({ text }) => text).join(" ")
  const heard = words.map(heardOf).filter(Boolean).join(" ")
  const fillers = reply.pieces.length - words.length
  const { both_ms, caller, first_text_ms, started_by, step, thought_ms, tools_ms, usage } = reply
  const caller_ended_ms = caller?.ended_ms ?? null
  const wasCut = isCut && heard.length < said.length
  const timings = timingsOf(reply, wasCut)
  return {
    turn: talk.turns + 1,
    started_by,
    caller_ended_ms,
    endpoint_ms: caller_ended_ms === null ? 0 : Math.max(0, Math.round(reply.began_ms - caller_ended_ms)),
    brain_ms: Math.max(tools_ms, thought_ms + tools_ms - both_ms),
    tools_ms,
    first_word_ms,
    drained_ms: wasCut ? null : (spoken.at(-1)?.ended_ms ?? null),
    response_ms: first_word_ms === null || caller_ended_ms === null ? null : first_word_ms - caller_ended_ms,
    interrupted: wasCut,
    ...(step === 0 ? {} : { steps: step, first_text_ms }),
    said_chars: said.length,
    heard_chars: heard.length,
    ...(wasCut ? { unheard: said.slice(heard.length).trim() } : {}),
    ...(fillers === 0 ? {} : { fillers }),
    ...(usage === null ? {} : { model: usage.model, tokens_in: usage.tokens_in, tokens_out: usage.tokens_out }),
    ...(timings === null ? {} : { timings }),
  }
}

/** Adds the time since `began`, in real milliseconds, to the time of the reply's tools. */
export const addToolTime = (talk: Talk, reply: Reply, began: number): Reply => ({
  ...reply,
  tools_ms: reply.tools_ms + inReality(talk, Math.max(0, talk.at - began)),
  both_ms: reply.both_ms + inReality(talk, Math.max(0, (reply.thinking ? talk.at : reply.thought_until) - began)),
  tools_until: talk.at,
})
