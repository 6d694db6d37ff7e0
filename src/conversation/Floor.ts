/** Decides which side may speak: how the caller's sounds and words affect the agent's speech. Pure. */
import { forEachLanguage } from "../languages/Languages.ts"
import { wantsNoCalls } from "../languages/OptOut.ts"
import { countWords, makeRecogniser } from "../languages/Phrases.ts"
import { isAcknowledgement, takesFloor } from "./Acknowledgements.ts"
import * as OptOut from "./OptOut.ts"
import * as Replies from "./Replies.ts"
import { emit, isAudible, isClosing, isDrained, isOpening, isSpeaking, sentencesOf } from "./Talk.ts"
import type { Reply, Talk } from "./Talk.ts"
import type { TalkEvent } from "./TalkEvent.ts"

const farewellIn = forEachLanguage(({ farewells }) => makeRecogniser(farewells))

/** How long after its beginning the caller may still interrupt a goodbye, in milliseconds of the line. */
const youngMs = 1_000

/** Whether the caller's sound may stop the reply. It always may while nothing of the reply was heard. */
const mayHold = (talk: Talk, reply: Reply): boolean => {
  if (reply.afterwards._tag === "End" && isAudible(reply)) {
    return reply.interruptible && reply.afterwards.reopens && !talk.reopened && talk.at - reply.began_ms < youngMs
  }
  return (reply.interruptible || !isAudible(reply)) && !isDrained(talk, reply)
}

export const onSpeechStarted = (talk: Talk, at: number): Talk => {
  // A machine's sounds do not take the floor.
  if (talk.machine !== null) return talk
  const heard: Talk = { ...talk, caller: { ...talk.caller, speaking_since: at, words: "" } }
  const { reply } = heard
  if (reply === null || talk.held_since !== null) return heard
  // The line may have fallen silent by its own decision, so it is told to continue.
  return mayHold(heard, reply)
    ? emit({ ...heard, held_since: talk.at }, { _tag: "Hold" })
    : emit(heard, { _tag: "Resume" })
}

/** A pressed key stops the reply as a sound does; the keys that follow keep it stopped. */
export const holdForKey = (talk: Talk): Talk => {
  const { held_since, reply } = talk
  if (reply === null) return talk
  if (held_since !== null) return { ...talk, held_since: talk.at }
  return mayHold(talk, reply) ? emit({ ...talk, held_since: talk.at }, { _tag: "Hold" }) : talk
}

export const onWords = (talk: Talk, text: string): Talk => {
  const heard: Talk = { ...talk, caller: { ...talk.caller, words: text } }
  return talk.held_since !== null && takesFloor(text, talk.setup.language) ? Replies.cut(heard) : heard
}

/** The caller fell silent at `at`. If the words were already understood, the floor does not change. */
export const onSpeechEnded = (talk: Talk, at: number): Talk => {
  const caller = { ...talk.caller, silent: { ended_ms: at, known_ms: talk.at } }
  return isSpeaking(talk)
    ? { ...talk, caller: { ...caller, speaking_since: null }, quiet_since: Math.max(talk.quiet_since, at) }
    : { ...talk, caller }
}

/** The agent has stopped for the caller's sound. */
export const onSilenced = (talk: Talk, at: number): Talk => {
  const { caller, held_since, reply } = talk
  if (reply === null || held_since === null || caller.speaking_since === null) return talk
  return { ...talk, reply: { ...reply, silenced_after_ms: Math.max(0, Math.round(at - caller.speaking_since)) } }
}

/**
 * The caller's speech could not be understood, so the agent asks for it again. After a second failure in a row the
 * agent says that it is out of order, and the call ends.
 */
export const onMisheard = (talk: Talk): Talk => {
  // The opening is said to its end, and serves as the answer to what was not understood.
  if (talk.machine !== null || talk.announcement_since !== null || isClosing(talk) || isOpening(talk)) return talk
  const counted: Talk = { ...talk, failures: talk.failures + 1 }
  const silent = talk.reply === null ? counted : Replies.cut(counted)
  return talk.failures === 0
    ? Replies.say(silent, sentencesOf(talk).sayAgain, { started_by: "caller" })
    : Replies.say(silent, sentencesOf(talk).outOfOrder, {
        started_by: "caller",
        afterwards: { _tag: "End", reason: "agent_error", reopens: false },
      })
}

/** The caller has spoken for longer than an acknowledgement takes, so the reply is cut, unless the words are one. */
export const bargeIn = (talk: Talk): Talk =>
  isAcknowledgement(talk.caller.words, talk.setup.language)
    ? { ...talk, caller: { ...talk.caller, speaking_since: null } }
    : Replies.cut(talk)

/** The sound needs no reply, so the agent continues. */
export const resume = (talk: Talk): Talk =>
  talk.held_since === null ? talk : emit({ ...talk, held_since: null }, { _tag: "Resume" })

/** The other side puts the call on hold: the agent falls silent until it is back. */
export const onPeerHeld = (talk: Talk): Talk =>
  talk.peer_held_since === null
    ? emit(
        {
          ...talk,
          peer_held_since: talk.at,
          held_since: null,
          caller: { ...talk.caller, speaking_since: null, words: "" },
        },
        { _tag: "Hold" },
      )
    : talk

/** The agent continues where it fell silent, and the silence timeout starts again. */
export const onPeerBack = (talk: Talk): Talk =>
  talk.peer_held_since === null
    ? talk
    : emit({ ...talk, peer_held_since: null, quiet_since: Math.max(talk.quiet_since, talk.at) }, { _tag: "Resume" })

/** Whether the event is the sound of a hold, such as music, which no person makes. */
export const isHoldSound = ({ peer_held_since }: Talk, event: TalkEvent): boolean => {
  if (peer_held_since === null) return false
  switch (event._tag) {
    case "SpeechStarted":
    case "Words":
    case "SpeechEnded":
    case "Misheard":
      return true
    case "Utterance":
    case "Heard":
    case "Understood":
      return event.started_ms >= peer_held_since
    default:
      return false
  }
}

/** The caller's final utterance. */
export const onUtterance = (talk: Talk, text: string, started_ms: number, ended_ms: number): Talk => {
  const { caller, reply } = talk
  // A recogniser is late: the caller speaks again, and these are the words from before.
  const speaksAgain = caller.speaking_since !== null && caller.speaking_since > ended_ms
  const heard: Talk = {
    ...talk,
    caller: {
      ...caller,
      speaking_since: speaksAgain ? caller.speaking_since : null,
      words: speaksAgain ? caller.words : "",
      utterances: caller.utterances + 1,
      words_said: caller.words_said + countWords(text),
    },
    quiet_since: Math.max(talk.quiet_since, ended_ms),
    silences: 0,
  }
  const spoken = { role: "caller", text, started_ms, ended_ms } as const
  const note = (talk: Talk) => emit(talk, { _tag: "Note", spoken })
  if (reply === null) return note(oweAnswer(heard, text, ended_ms))
  if (isClosing(talk)) return note(hearUnderGoodbye(heard, reply, text, ended_ms))
  // A recogniser is late: the greeting has begun in the meantime, and answers the caller's hello.
  if (reply.greets && ended_ms <= reply.began_ms && !wantsNoCalls(text))
    return note({ ...heard, history: [...heard.history, { role: "caller", text }] })
  // A line that recognises only whole utterances reports no beginning of speech, so the end of an utterance implies
  // one.
  const isHeld = talk.held_since !== null || mayHold(talk, reply)
  if (isHeld && isAudible(reply) && isAcknowledgement(text, talk.setup.language)) return note(resume(heard))
  // The heard part of the interrupted reply goes into the history before the utterance.
  if (isHeld) return note(oweAnswer(Replies.cut(heard), text, ended_ms))
  // The reply is said to its end, and the utterance is answered then.
  return note(oweAnswer({ ...heard, later: [...heard.later, { role: "caller", text }] }, text, ended_ms, false))
}

/**
 * Words during a goodbye: the agent listens only if they are more than a goodbye, and only once. A wish not to be
 * called counts all the same.
 */
const hearUnderGoodbye = (talk: Talk, reply: Reply, text: string, ended_ms: number): Talk => {
  const { language } = talk.setup
  const isOver = farewellIn(language)(text) || isAcknowledgement(text, language)
  const reopens = reply.afterwards._tag === "End" && reply.afterwards.reopens && !talk.reopened
  if (reopens && (!isOver || wantsNoCalls(text)))
    return oweAnswer({ ...Replies.cut(talk), reopened: true }, text, ended_ms)
  const heard = resume({ ...talk, later: [...talk.later, { role: "caller", text }] })
  const isConfirmed = reply.afterwards._tag === "End" && reply.afterwards.reason === "opted_out"
  return isConfirmed ? heard : OptOut.writeIfWish(heard, text)
}

/** Adds the words to those that the agent has to answer; with `isInHistory`, also to the history. */
const oweAnswer = (talk: Talk, text: string, ended_ms: number, isInHistory = true): Talk => {
  const { owed, silent } = talk.caller
  const words = owed === null ? text : `${owed.text} ${text}`
  const silent_ms = silent?.ended_ms === ended_ms ? silent.known_ms : null
  return {
    ...talk,
    history: isInHistory ? [...talk.history, { role: "caller", text }] : talk.history,
    caller: { ...talk.caller, owed: { text: words, ended_ms, silent_ms, understood_ms: talk.at } },
  }
}
