/**
 * Handles an assistant that screens the call: the agent tells it the caller's name and purpose, never a message for
 * the called person, and waits while it asks that person. The person who speaks next is greeted again. Pure.
 */
import { isScreenerWaiting, machineKindOf } from "../languages/MachineGreeting.ts"
import * as Answered from "./Answered.ts"
import * as Replies from "./Replies.ts"
import { hasOpening } from "./Opening.ts"
import { emit, isOpening } from "./Talk.ts"
import type { Talk } from "./Talk.ts"
import * as Voicemail from "./Voicemail.ts"

/** The assistant has asked for the caller's name. */
export const begin = (heard: Talk): Talk => {
  // The opening is for a person: it is said, or said again, when one takes the call.
  const talk = isOpening(heard) ? Replies.cut(heard) : heard
  return introduce({ ...talk, opened: true, noticed: !hasOpening(talk.setup), screening_since: heard.at })
}

/** Words while the call is screened; `greet` greets the person that took the call. */
export const onUtterance = (heard: Talk, text: string, started_ms: number, greet: (talk: Talk) => Talk): Talk => {
  const kind = machineKindOf(text)
  if (kind === "screening") return introduce(heard)
  if (kind === "voicemail" || kind === "full_mailbox") {
    return Voicemail.onMachine({ ...Answered.noteWords(heard, kind, started_ms), screening_since: null }, kind)
  }
  if (kind !== null || isScreenerWaiting(text)) return { ...heard, caller: { ...heard.caller, owed: null } }
  const person: Talk = { ...Answered.noteWords(heard, null, started_ms), screening_since: null }
  return person.reply === null ? greet(person) : person
}

/** The called person declined the call. */
export const end = (talk: Talk): Talk => Replies.end(emit(talk, { _tag: "NoteMachine" }), "voicemail")

/** The agent's first message states its name and purpose. Without a first message the brain answers. */
const introduce = (talk: Talk): Talk =>
  talk.reply === null && talk.setup.greeting !== ""
    ? Replies.say(talk, talk.setup.greeting, { started_by: "agent", interruptible: false })
    : talk
