/**
 * A person talks with the other side in the agent's place: a supervisor who has taken the call over, or the person to
 * whom it was transferred. The agent is silent, does not ask the brain, and keeps what the two say. Pure.
 */
import type { TakeoverRefusal } from "../domain/Takeover.ts"
import { wantsNoCalls } from "../languages/OptOut.ts"
import * as Keypad from "./Keypad.ts"
import * as Opening from "./Opening.ts"
import * as OptOut from "./OptOut.ts"
import * as Replies from "./Replies.ts"
import { emit, sentencesOf } from "./Talk.ts"
import type { Talk } from "./Talk.ts"
import type { PersonLeft, TalkEvent } from "./TalkEvent.ts"
import * as ToolCalls from "./ToolCalls.ts"

/** What the agent has to know before it goes on. */
const briefing: Record<PersonLeft, string> = {
  handed_back:
    "A colleague of yours took the call over for a while, and has handed it back to you. Words that are marked as a colleague's were said by that colleague, and the other side heard them. You have just said that you are back. Go on from there: keep to what your colleague said, and ask for nothing that was already said.",
  lost: "A colleague of yours took the call over, and the connection to that colleague was lost. Words that are marked as a colleague's were said by that colleague, and the other side heard them. You have just apologised and said that you are back. Go on from there: keep to what your colleague said, and ask for nothing that was already said.",
}

/** Whether the other side hears a person, or is being told that a person goes on with the call. */
export const isOn = ({ errand }: Talk): boolean =>
  errand?.kind === "person" || (errand?.kind === "transfer" && errand.stage === "bridged")

export type PersonEvent = Extract<TalkEvent, { readonly _tag: "TakenOver" | "PersonSaid" | "PersonLeft" }>

export const isOfPerson = (event: TalkEvent): event is PersonEvent =>
  event._tag === "TakenOver" || event._tag === "PersonSaid" || event._tag === "PersonLeft"

/** Handles an event that a person caused. */
export const onPerson = (talk: Talk, event: PersonEvent): Talk => {
  switch (event._tag) {
    case "TakenOver":
      return begin(talk)
    case "PersonSaid":
      return isOn(talk) ? keep(talk, { role: "person", text: event.text }, event) : talk
    case "PersonLeft":
      return end(talk, event.how)
  }
}

/** A supervisor takes the call over: the other side is told first. */
const begin = (talk: Talk): Talk => {
  if (talk.errand?.kind === "person") return talk
  const why = obstacleIn(talk)
  if (why !== null) return emit(talk, { _tag: "RefusePerson", why })
  const silent = Replies.cut({ ...talk, pressed: null })
  const { takenOver } = sentencesOf(talk)
  const taken: Talk = {
    ...resetListening(silent),
    opened: true,
    screening_since: null,
    menus: [],
    errand: { kind: "person", since: talk.at, stage: "announcing" },
  }
  return talk.noticed
    ? Replies.say(taken, takenOver, { started_by: "agent", interruptible: false })
    : Opening.begin(taken, { _tag: "Listen" }, takenOver)
}

const obstacleIn = ({
  announcement_since,
  caller,
  collecting,
  errand,
  gone,
  machine,
}: Talk): TakeoverRefusal | null => {
  if (gone !== null || errand?.kind === "opt_out" || wantsNoCalls(caller.owed?.text ?? "")) return "ending"
  if (errand?.kind === "transfer") return "transfer"
  if (machine !== null || announcement_since !== null) return "machine"
  return collecting === null ? null : "digits"
}

/** Forgets what the caller is saying and was not answered: it was or will be said to the person. */
const resetListening = (talk: Talk): Talk => ({
  ...talk,
  caller: { ...talk.caller, speaking_since: null, words: "", owed: null },
  quiet_since: talk.at,
  silences: 0,
})

/** The other side has heard who goes on: the two are connected. */
export const connect = (talk: Talk): Talk => {
  const { errand } = talk
  if (errand?.kind !== "person" || errand.stage !== "announcing") return talk
  const told: Talk = talk.noticed ? talk : emit({ ...talk, noticed: true }, { _tag: "NoteAnnounced" })
  return startTalking(told)
}

const startTalking = (talk: Talk): Talk =>
  emit({ ...talk, errand: { kind: "person", since: talk.at, stage: "talking" } }, { _tag: "ConnectPerson" })

/**
 * Connects the person although the line has not reported that the sentence was heard, for example because the call is
 * on hold.
 */
export const stopWaiting = (talk: Talk): Talk => startTalking(Replies.cut(talk))

/** The agent takes the call back, and says so. */
const end = (talk: Talk, how: PersonLeft): Talk => {
  if (talk.errand?.kind !== "person") return talk
  const back: Talk = { ...resetListening(Replies.cut(talk)), errand: null, back_since: talk.at }
  const { handedBack, personLost } = sentencesOf(talk)
  const told: Talk = { ...back, history: [...back.history, { role: "operator", text: briefing[how] }] }
  return Replies.say(emit(told, { _tag: "ReleasePerson" }), how === "lost" ? personLost : handedBack, {
    started_by: "agent",
  })
}

/** Handles another event while the person is on. Returns null for events that are handled as usual. */
export const onEvent = (talk: Talk, event: TalkEvent): Talk | null => {
  switch (event._tag) {
    case "Utterance":
      return onCallerSaid(talk, event)
    case "Ordered":
      // No tool begins to collect digits now, because a person would hear them.
      return Keypad.giveUp(ToolCalls.onOrdered(talk, event.call, event.order), "replaced")
    case "SpeechStarted":
    case "Words":
    case "SpeechEnded":
    case "Misheard":
    case "Beep":
    case "Tone":
      return talk
    case "Key":
      return OptOut.onKey(talk, event.digit) ?? talk
    default:
      return null
  }
}

interface Said {
  readonly text: string
  readonly started_ms: number
  readonly ended_ms: number
}

/**
 * Whether these words, which are known late, were said to the person, so that the agent need not answer them. Never
 * true for a wish not to be called.
 */
export const wereForPerson = ({ back_since }: Talk, text: string, ended_ms: number): boolean =>
  back_since !== null && ended_ms <= back_since && !wantsNoCalls(text)

export const onCallerSaid = (talk: Talk, said: Said): Talk =>
  // A wish not to be called also counts when a person hears it.
  OptOut.writeIfWish(keep(talk, { role: "caller", text: said.text }, said), said.text)

const keep = (talk: Talk, message: { readonly role: "caller" | "person"; readonly text: string }, said: Said): Talk => {
  const { ended_ms, started_ms } = said
  // The agent may still be saying who goes on.
  const heard: Talk =
    talk.reply === null
      ? { ...talk, history: [...talk.history, message] }
      : { ...talk, later: [...talk.later, message] }
  return emit(heard, { _tag: "Note", spoken: { ...message, started_ms, ended_ms } })
}
