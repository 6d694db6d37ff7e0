/** A machine took the call: the agent hangs up, or leaves a message after the machine's tone. Pure. */
import * as Replies from "./Replies.ts"
import { emit } from "./Talk.ts"
import type { Talk, ToolRun } from "./Talk.ts"

/** What shows that a machine took the call: its tone, or what it says. */
type Sign = "tone" | "voicemail" | "full_mailbox" | "menu" | "fax"

const takesMessage = (sign: Sign): boolean => sign === "tone" || sign === "voicemail"

/** A machine is recognised by what it says, or by its tone. */
export const onMachine = (talk: Talk, sign: Sign): Talk => {
  const beeped = sign === "tone"
  if (talk.machine !== null) return beeped ? { ...talk, machine: { ...talk.machine, beeped } } : talk
  const known = emit(talk, { _tag: "NoteMachine" })
  if (!talk.setup.leaves_message || !takesMessage(sign)) return Replies.end(known, "voicemail")
  const silent = Replies.cut(known)
  const waiting: Talk = {
    ...silent,
    opened: true,
    caller: { ...silent.caller, owed: null, speaking_since: null },
    machine: { since: talk.at, beeped, message: null },
  }
  if (!talk.setup.has_voicemail_tool) return waiting
  const run: ToolRun = {
    id: `call_${talk.last_id + 1}`,
    reply: null,
    step: 0,
    call: { name: "leave_voicemail", arguments: {} },
    state: "running",
    started_ms: talk.at,
    answer: null,
    shown: false,
  }
  return emit(
    { ...waiting, last_id: talk.last_id + 1, tools: [...waiting.tools, run] },
    { _tag: "RunTool", id: run.id, call: run.call },
  )
}

export const isMessageDue = ({ machine, tools }: Talk): boolean =>
  machine !== null &&
  machine.beeped &&
  tools.every(({ call, state }) => call.name !== "leave_voicemail" || state !== "running")

/**
 * Leaves the message, if there is one, and ends the call. The message cannot be interrupted, because a machine records
 * it.
 */
export const leaveMessage = (talk: Talk): Talk => {
  const words = talk.machine?.message ?? talk.setup.greeting
  // A message begins with the disclosure, which a person would have heard first.
  const message = words === "" ? "" : `${talk.setup.disclosure} ${words}`.trim()
  return message === ""
    ? Replies.end(talk, "voicemail")
    : Replies.say(talk, message, {
        started_by: "agent",
        interruptible: false,
        afterwards: { _tag: "End", reason: "voicemail", reopens: false },
      })
}
