/**
 * The facts of one talk. Which party speaks, listens or speaks next is never stored: it follows from the facts. Pure.
 */
import type { Message, ToolCall, Usage } from "../brain/Brain.ts"
import { type Answer, type Asked, mostSteps, none } from "../brain/ToolPolicy.ts"
import type { AnsweredByVerdict } from "../domain/AnsweredBy.ts"
import type { EndReason, Turn } from "../domain/Call.ts"
import type { Sentences } from "../languages/Language.ts"
import { languageOf } from "../languages/Languages.ts"
import type { Position } from "../speech/Playout.ts"
import type { Manners } from "../telephony/Manners.ts"
import type { Moment } from "../telephony/Telephony.ts"
import type { DigitsWanted } from "../tools/CallControls.ts"
import type { WarmTransfer } from "../tools/CallControls.ts"
import type { Command } from "./Command.ts"
import type { CallerEnd, Moments } from "./Stages.ts"
import type { HeardSpeech } from "./TalkEvent.ts"

/** Settings that are fixed before the first word. */
export interface Setup {
  /** Empty: the agent waits for the other side. */
  readonly greeting: string
  /** Said before anything else; empty if the agent discloses nothing. */
  readonly disclosure: string
  /** Said after it: the key against further calls, and that the call is recorded. Empty if neither is to be said. */
  readonly notice: string
  /** The key with which the called person asks not to be called again; null if none does. */
  readonly opt_out_key: string | null
  readonly interruptible: boolean
  /** The language of the talk, as a BCP 47 tag. */
  readonly language: string
  readonly silence_ms: number
  readonly max_ms: number
  readonly leaves_message: boolean
  /** A phone was called, and a machine may take the call. */
  readonly meets_machines: boolean
  /** The agent has `leave_voicemail`, which words the message. */
  readonly has_voicemail_tool: boolean
  /** The agent has `send_dtmf`, which presses keys. */
  readonly has_keys: boolean
  /** The agent has tools that can act on the caller's last words after a hang-up. */
  readonly has_tools: boolean
  /** The line can be connected with a person's, so that a transfer can be warm. */
  readonly hands_over: boolean
  /** How long a tool may take, in real milliseconds. */
  readonly tool_ms: (name: string) => number
  readonly speed: number
  readonly manners: Manners
  /** The agent's voice model hears and speaks: a turn may be answered before its words are known. */
  readonly has_voice_model: boolean
}

/** Words that the agent speaks in one breath. */
export interface SpokenPiece {
  readonly id: number
  readonly text: string
  /** The id of the sound, if a voice model speaks it. The text is then what is known of its words. */
  readonly sound?: string
  /** Said while a tool is slow; not part of the history. */
  readonly filler: boolean
  /** `playing`: the line has it, and has not yet reported that it was heard. */
  readonly state: "waiting" | "playing" | "over"
  readonly started_ms: number
  readonly ended_ms: number
}

/** What follows when the last word of a reply was heard. */
export type Then =
  | { readonly _tag: "Listen" }
  /** The opening was heard: the first message follows. */
  | { readonly _tag: "Greet" }
  /** `reopens`: if the caller speaks during this goodbye, the conversation continues. */
  | { readonly _tag: "End"; readonly reason: EndReason; readonly reopens: boolean }
  | { readonly _tag: "Transfer"; readonly target: string; readonly warm: WarmTransfer | null }

/** The reply that the agent is about to say or is saying, from the decision to the last word heard. */
export interface Reply extends Moments {
  readonly id: number
  readonly started_by: Turn["started_by"]
  readonly interruptible: boolean
  /** It is the agent's first message. */
  readonly greets: boolean
  /** How many pieces, from the first, are the disclosure. */
  readonly discloses: number
  /** Steps asked of the brain so far; 0 for fixed words. */
  readonly step: number
  /** The answer to the last step is still coming. */
  readonly thinking: boolean
  readonly last_sign_ms: number
  readonly retried: boolean
  /** The line knows that no more pieces follow. */
  readonly yielded: boolean
  /** The number of utterances that were heard to their end and recorded. */
  readonly noted: number
  /** Pieces and calls of tools by their ids, in the order in which the brain gave them. */
  readonly trace: ReadonlyArray<{ readonly piece: number } | { readonly call: string }>
  readonly pieces: ReadonlyArray<SpokenPiece>
  readonly asked: Asked
  readonly afterwards: Then
  readonly usage: Usage | null
  readonly first_text_ms: number | null
  /** Real milliseconds of the brain, of the tools, and of both at once: a tool may run while the brain goes on. */
  readonly thought_ms: number
  readonly tools_ms: number
  readonly both_ms: number
  /** When the last step ended, and up to when the time of the tools is counted. */
  readonly thought_until: number
  readonly tools_until: number
}

/** One tool call, until its result is in the history. */
export interface ToolRun {
  readonly id: string
  /** Null if its reply is over while it still runs. */
  readonly reply: number | null
  readonly step: number
  readonly call: ToolCall
  readonly state: "waiting" | "running" | "over"
  readonly started_ms: number
  readonly answer: Answer | null
  /** The brain was told that it is still running. */
  readonly shown: boolean
}

/** Digits that a tool collects from the keys. */
export interface Collection extends DigitsWanted {
  /** The id of the tool's run. */
  readonly call: string
  readonly digits: string
  /** When it began, or the last key came. */
  readonly since: number
  /** The recording is paused for it. */
  readonly is_private: boolean
}

export interface Talk {
  readonly setup: Setup
  /** The moment of the last event. */
  readonly at: number
  readonly playing: Position | null
  /** The commands of the last event. */
  readonly out: ReadonlyArray<Command>
  readonly opened: boolean
  /** The other side has heard the disclosure and the notice, or there is nothing to hear. */
  readonly noticed: boolean
  readonly history: ReadonlyArray<Message>
  /** What was said and done during the current reply: it follows the reply in the history. */
  readonly later: ReadonlyArray<Message>
  readonly reply: Reply | null
  readonly tools: ReadonlyArray<ToolRun>
  readonly caller: {
    readonly speaking_since: number | null
    readonly words: string
    /** Words that the agent has still to answer, and when they ended. */
    readonly owed: (CallerEnd & { readonly text: string }) | null
    /**
     * Stretches of speech whose words are not known yet. `is_turn`: the agent answers, or has answered, without the
     * words.
     */
    readonly unworded: ReadonlyArray<HeardSpeech & { readonly is_turn: boolean }>
    /** The last end of a sound, and when the line was certain of it. */
    readonly silent: { readonly ended_ms: number; readonly known_ms: number } | null
    readonly utterances: number
    /** How many words these utterances had together. */
    readonly words_said: number
  }
  /** When the agent fell silent because of a sound; it may still continue. */
  readonly held_since: number | null
  /** When the other side put the call on hold: it hears nothing, and its sound is not meant for the agent. */
  readonly peer_held_since: number | null
  /** When an assistant began to ask the called person whether to take the call. */
  readonly screening_since: number | null
  /** When an announcement of the telephone network began, by its three tones or by its words. */
  readonly announcement_since: number | null
  readonly collecting: Collection | null
  /** When the last collection ended, and the key that may still follow its last digit. */
  readonly collected: { readonly at: number; readonly late_key: string | null } | null
  /** Keys that no tool has asked for, gathered into one turn. */
  readonly pressed: { readonly keys: string; readonly since: number; readonly from: number } | null
  /** The menus that were read so far and ask for a key. */
  readonly menus: ReadonlyArray<string>
  /** What took the call, as far as it is known. */
  readonly answered_by: AnsweredByVerdict | null
  /**
   * A side effect in progress beside speech: recording an opt-out, transferring the call, or a supervisor who talks.
   */
  readonly errand:
    | { readonly kind: "opt_out"; readonly since: number }
    /** A supervisor talks in the agent's place. */
    | { readonly kind: "person"; readonly since: number; readonly stage: "announcing" | "talking" }
    | { readonly kind: "transfer"; readonly since: number; readonly stage: "blind" | "dialling" | "bridged" }
    | null
  /** When the agent got the call back from a person. Words from before were not said to the agent. */
  readonly back_since: number | null
  /** A machine answered, and a message is to be left. */
  readonly machine: { readonly since: number; readonly beeped: boolean; readonly message: string | null } | null
  /** When the last sound of either side ended. */
  readonly quiet_since: number
  readonly silences: number
  /** How often in a row the recogniser or the brain failed. A step of the brain that succeeds ends the row. */
  readonly failures: number
  readonly fillers: number
  readonly asked: Asked
  /** A tool's result has arrived that no reply has passed on to the other side yet. */
  readonly news: boolean
  readonly reopened: boolean
  readonly time_is_up: boolean
  readonly turns: number
  readonly last_id: number
  /**
   * The other side is gone: its last words are still handled, without speech. `hears`: the line does not have all of
   * them yet.
   */
  readonly gone: { readonly since: number; readonly reason: EndReason; readonly hears: boolean } | null
  readonly ended: EndReason | null
}

export const start = (setup: Setup): Talk => ({
  setup,
  at: 0,
  playing: null,
  out: [],
  opened: false,
  noticed: setup.disclosure === "" && setup.notice === "",
  history: [],
  later: [],
  reply: null,
  tools: [],
  caller: { speaking_since: null, words: "", owed: null, unworded: [], silent: null, utterances: 0, words_said: 0 },
  held_since: null,
  peer_held_since: null,
  screening_since: null,
  announcement_since: null,
  collecting: null,
  collected: null,
  pressed: null,
  menus: [],
  answered_by: null,
  errand: null,
  back_since: null,
  machine: null,
  quiet_since: 0,
  silences: 0,
  failures: 0,
  fillers: 0,
  asked: none,
  news: false,
  reopened: false,
  time_is_up: false,
  turns: 0,
  last_id: 0,
  gone: null,
  ended: null,
})

export const atMoment = (talk: Talk, { at, playing }: Moment): Talk => ({
  ...talk,
  at: Math.max(talk.at, at),
  playing,
  out: [],
})

export const emit = (talk: Talk, ...commands: ReadonlyArray<Command>): Talk => ({
  ...talk,
  out: [...talk.out, ...commands],
})

/** Converts real milliseconds to milliseconds of the line. `inReality` is the inverse. */
export const onTheLine = (talk: Talk, ms: number): number => ms * talk.setup.speed
export const inReality = (talk: Talk, ms: number): number => Math.round(ms / talk.setup.speed)

export const isSpeaking = ({ caller }: Talk): boolean => caller.speaking_since !== null
export const unplayed = (reply: Reply): ReadonlyArray<SpokenPiece> =>
  reply.pieces.filter(({ state }) => state !== "over")
/** Whether a part of the reply is, or was, on the line. */
export const isAudible = (reply: Reply): boolean => reply.pieces.some(({ state }) => state !== "waiting")
export const hasWords = (reply: Reply): boolean => reply.pieces.some(({ filler }) => !filler)
export const toolsOf = ({ tools }: Talk, { id }: Reply): ReadonlyArray<ToolRun> =>
  tools.filter(({ reply }) => reply === id)
/** The tools that the reply waits for. It does not wait for digits: the caller may talk before they are pressed. */
export const openTools = (talk: Talk, reply: Reply): ReadonlyArray<ToolRun> =>
  toolsOf(talk, reply).filter(({ id, state }) => state !== "over" && id !== talk.collecting?.call)
/**
 * Whether the brain is asked for another step, because the tools of the last one have ended. It is not if the reply has
 * words and leaves the call.
 */
export const wantsStep = (talk: Talk, reply: Reply): boolean => {
  const ofStep = toolsOf(talk, reply).filter(({ step }) => step === reply.step)
  const leaves = reply.afterwards._tag !== "Listen" && hasWords(reply)
  return (
    !reply.thinking &&
    !leaves &&
    ofStep.length > 0 &&
    reply.step < mostSteps &&
    ofStep.every(({ state }) => state === "over")
  )
}
/** Whether all of the reply was generated; it may still have to be heard. */
export const isWhole = (talk: Talk, reply: Reply): boolean =>
  !reply.thinking && openTools(talk, reply).length === 0 && !wantsStep(talk, reply)
/** Whether all of the reply was heard, or there was nothing to hear. */
export const isDrained = (talk: Talk, reply: Reply): boolean => isWhole(talk, reply) && unplayed(reply).length === 0
/** The fixed sentences in the language of the talk. */
export const sentencesOf = ({ setup }: Talk): Sentences => languageOf(setup.language).sentences

/** Whether the agent is saying the opening, which comes before its first message and is said to its end. */
export const isOpening = ({ reply }: Talk): boolean =>
  reply !== null && (reply.afterwards._tag === "Greet" || reply.discloses > 0)

/** Whether neither side speaks, is about to speak, or waits for an answer. */
export const isFree = (talk: Talk): boolean =>
  talk.reply === null &&
  !isSpeaking(talk) &&
  talk.caller.owed === null &&
  talk.caller.unworded.length === 0 &&
  talk.pressed === null &&
  talk.errand === null &&
  talk.machine === null &&
  talk.announcement_since === null
/** Whether the caller and a person to whom the call was transferred talk with each other. */
export const isBridged = ({ errand }: Talk): boolean => errand?.kind === "transfer" && errand.stage === "bridged"
/** Whether `#`, which ends a row of keys, was pressed. */
export const isCompleteRow = ({ pressed }: Talk): boolean => pressed !== null && pressed.keys.endsWith("#")
/** Whether the tool that collects digits was called and has not begun yet. The keys until then are for it. */
export const isAboutToCollect = ({ collecting, tools }: Talk): boolean =>
  collecting === null && tools.some(({ call, state }) => call.name === "collect_digits" && state !== "over")
/** Whether the agent is saying goodbye. */
export const isClosing = ({ reply }: Talk): boolean => reply?.afterwards._tag === "End"
