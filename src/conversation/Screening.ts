/**
 * An assistant screens the call: it is told who calls and why, never a message for the called person, and waited for
 * while it asks that person. Whoever speaks after it is greeted anew. Pure.
 */
import { isScreenerWaiting, machineKindOf } from "../languages/MachineGreeting.ts"
import * as Replies from "./Replies.ts"
import { emit } from "./Talk.ts"
import type { Talk } from "./Talk.ts"
import * as Voicemail from "./Voicemail.ts"

/** The assistant has asked who calls. */
export const begin = (heard: Talk): Talk => introduce({ ...heard, opened: true, screening_since: heard.at })

/** Words while the call is screened; `greet` greets the person that took the call. */
export const onUtterance = (heard: Talk, text: string, greet: (talk: Talk) => Talk): Talk => {
  const kind = machineKindOf(text)
  if (kind === "screening") return introduce(heard)
  if (kind !== null) return Voicemail.onMachine({ ...heard, screening_since: null }, kind)
  if (isScreenerWaiting(text)) return { ...heard, caller: { ...heard.caller, owed: null } }
  const person: Talk = { ...heard, screening_since: null }
  return person.reply === null ? greet(person) : person
}

/** The called person did not take the call. */
export const end = (talk: Talk): Talk => Replies.end(emit(talk, { _tag: "NoteMachine" }), "voicemail")

/** The agent's first message says who calls and why; without one the brain answers. */
const introduce = (talk: Talk): Talk =>
  talk.reply === null && talk.setup.greeting !== ""
    ? Replies.say(talk, talk.setup.greeting, { started_by: "agent", interruptible: false })
    : talk
