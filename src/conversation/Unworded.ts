/**
 * The caller's speech that a voice model has heard, and whose words follow. If nothing depends on the words, the turn
 * is answered without them. If they decide, as over the agent's own voice or with a machine, the talk waits for them.
 * Pure.
 */
import type { Message } from "../brain/Brain.ts"
import { wantsNoCalls } from "../languages/OptOut.ts"
import { countWords } from "../languages/Phrases.ts"
import * as OptOut from "./OptOut.ts"
import * as Replies from "./Replies.ts"
import { emit, hasWords } from "./Talk.ts"
import type { Talk } from "./Talk.ts"
import type { HeardSpeech, TalkEvent } from "./TalkEvent.ts"
import * as Thoughts from "./Thoughts.ts"
import * as Tones from "./Tones.ts"

/** Replaces words that were not transcribed, in the record. */
const notTranscribed = "[not transcribed]"

type Understood = Extract<TalkEvent, { readonly _tag: "Understood" }>

/** Whether the turn can be answered before its words are known: nothing depends on them. */
const canAnswer = (talk: Talk, started_ms: number): boolean =>
  talk.opened &&
  talk.reply === null &&
  talk.errand === null &&
  talk.machine === null &&
  talk.announcement_since === null &&
  talk.screening_since === null &&
  talk.menus.length === 0 &&
  !Tones.mayBeGreeting(talk, started_ms)

type OnUtterance = (talk: Talk, text: string, started_ms: number, ended_ms: number) => Talk

/** Handles the events of a voice model other than its replies. `onUtterance` takes words that the talk waited for. */
export const handle = (
  talk: Talk,
  event: Extract<TalkEvent, { readonly _tag: "Heard" | "Understood" | "Worded" | "ModelLost" }>,
  onUtterance: OnUtterance,
): Talk => {
  switch (event._tag) {
    case "Heard":
      return onHeard(talk, event)
    case "Understood":
      return onUnderstood(talk, event, onUtterance)
    case "Worded":
      return Replies.onWorded(talk, event)
    case "ModelLost":
      return onModelLost(talk, event.isReplaced)
  }
}

const onHeard = (talk: Talk, { ended_ms, started_ms, utterance }: HeardSpeech): Talk => {
  const is_turn = canAnswer(talk, started_ms)
  const { caller } = talk
  const unworded = [...caller.unworded, { utterance, started_ms, ended_ms, is_turn }]
  if (!is_turn) return { ...talk, caller: { ...caller, unworded } }
  const silent_ms = caller.silent?.ended_ms === ended_ms ? caller.silent.known_ms : null
  return {
    ...talk,
    history: [...talk.history, { role: "caller", text: "", utterance }],
    caller: {
      ...caller,
      unworded,
      speaking_since: null,
      words: "",
      owed: { text: caller.owed?.text ?? "", ended_ms, silent_ms, understood_ms: talk.at },
    },
    quiet_since: Math.max(talk.quiet_since, ended_ms),
    silences: 0,
  }
}

const onUnderstood = (
  before: Talk,
  { ended_ms, started_ms, text, utterance }: Understood,
  onUtterance: OnUtterance,
): Talk => {
  const heard = before.caller.unworded.find((speech) => speech.utterance === utterance)
  if (heard === undefined) return before
  const unworded = before.caller.unworded.filter((speech) => speech !== heard)
  const talk: Talk = { ...before, caller: { ...before.caller, unworded } }
  if (!heard.is_turn) {
    if (text === "") return talk
    const words = text ?? notTranscribed
    return markAdded(talk, onUtterance(talk, words, started_ms, ended_ms), words, utterance)
  }
  if (text === "") return forget(talk, utterance)
  const filled = fillWords(talk, utterance, text ?? notTranscribed)
  const noted = emit(filled, {
    _tag: "Note",
    spoken: { role: "caller", text: text ?? notTranscribed, started_ms, ended_ms },
  })
  return text === null ? noted : follow(noted, text, ended_ms)
}

/**
 * Gives the caller's message that `after` has and `before` has not the id of the speech, so that the model, which has
 * heard the speech, is not told its words again.
 */
const markAdded = (before: Talk, after: Talk, words: string, utterance: number): Talk => {
  const mark = (message: Message): Message =>
    message.role === "caller" && message.utterance === undefined && message.text === words
      ? { ...message, utterance }
      : message
  const { length } = before.history
  const history = [...after.history.slice(0, length), ...after.history.slice(length).map(mark)]
  return { ...after, history, later: after.later.map(mark) }
}

/** The speech had no words, so it needs no answer. */
const forget = (talk: Talk, utterance: number): Talk => {
  const { owed, unworded } = talk.caller
  const isNothing = owed?.text === "" && unworded.every(({ is_turn }) => !is_turn)
  return {
    ...talk,
    history: talk.history.filter((message) => message.utterance !== utterance),
    caller: { ...talk.caller, owed: isNothing ? null : owed },
  }
}

/** Puts the words into the message that stands for the speech in the history. */
const fillWords = (talk: Talk, utterance: number, text: string): Talk => {
  const fill = (message: Message): Message => (message.utterance === utterance ? { ...message, text } : message)
  const { caller } = talk
  return {
    ...talk,
    history: talk.history.map(fill),
    caller: {
      ...caller,
      utterances: caller.utterances + 1,
      words_said: caller.words_said + countWords(text),
    },
  }
}

/**
 * Handles the words of a turn that may already be answered. A wish not to be called takes precedence over any answer.
 */
const follow = (talk: Talk, text: string, ended_ms: number): Talk => {
  const { owed } = talk.caller
  if (owed !== null) {
    const words = owed.text === "" ? text : `${owed.text} ${text}`
    return { ...talk, caller: { ...talk.caller, owed: { ...owed, text: words } } }
  }
  if (talk.errand !== null) return OptOut.writeIfWish(talk, text)
  if (!wantsNoCalls(text) || talk.machine !== null) return talk
  const silent = Replies.cut(talk)
  const wish = { text, ended_ms, silent_ms: null, understood_ms: talk.at }
  return { ...silent, caller: { ...silent.caller, owed: wish } }
}

/** The voice model is lost. What it has not understood is heard again, and what it has not answered is asked again. */
const onModelLost = (talk: Talk, isReplaced: boolean): Talk => {
  if (!isReplaced) return Replies.end(talk, "agent_error")
  const { caller, reply, setup } = talk
  const isUnknown = ({ utterance }: Message) => caller.unworded.some((speech) => speech.utterance === utterance)
  const wasAsked = caller.unworded.some(({ is_turn }) => is_turn)
  const replaced: Talk = {
    ...talk,
    setup: { ...setup, has_voice_model: false },
    history: talk.history.filter((message) => !isUnknown(message)),
    caller: { ...caller, unworded: [], owed: caller.owed?.text === "" ? null : caller.owed },
  }
  if (reply === null || !reply.thinking) return replaced
  if (hasWords(reply)) return Thoughts.giveUp(replaced)
  return wasAsked ? Replies.cut(replaced) : Replies.ask(replaced, reply)
}
