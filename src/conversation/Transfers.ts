/** Handles a call that is handed over to a person: what the caller hears meanwhile, and how the transfer ends. Pure. */
import { textOf } from "../brain/ToolPolicy.ts"
import { wantsNoCalls } from "../languages/OptOut.ts"
import * as OptOut from "./OptOut.ts"
import * as Replies from "./Replies.ts"
import { sentencesOf } from "./Talk.ts"
import type { Talk } from "./Talk.ts"
import type { TalkEvent } from "./TalkEvent.ts"

export const onTransferred = (talk: Talk, { ok, why }: Extract<TalkEvent, { readonly _tag: "Transferred" }>): Talk => {
  if (talk.errand?.kind !== "transfer") return talk
  if (ok) return OptOut.endUnanswered(talk, "transferred")
  const silent = { ...Replies.cut(talk), errand: null }
  const told = why === undefined ? silent : tellAgent(silent, why)
  // The caller said this while a person was being called.
  if (wantsNoCalls(told.caller.owed?.text ?? "")) return OptOut.endCallerTurn(told)
  return Replies.say(told, sentencesOf(talk).transferFailed, { started_by: "agent" })
}

/** The history has the failure as a result of the tool that the agent called. */
const tellAgent = (talk: Talk, why: string): Talk => {
  const text = textOf({ error: { code: "not_transferred", message: why } })
  const call = `transfer_${talk.last_id}`
  return {
    ...talk,
    history: [...talk.history, { role: "tool", tool_name: "transfer_call", arguments: {}, call, text }],
  }
}

/**
 * The caller is connected with the person. The agent neither speaks nor listens, and the call goes on until one of the
 * two is gone.
 */
export const onBridged = (talk: Talk): Talk =>
  talk.errand?.kind === "transfer" ? { ...Replies.cut(talk), errand: { ...talk.errand, stage: "bridged" } } : talk

/** Tells the caller now and then that it takes a moment. */
export const reassure = (talk: Talk): Talk => {
  const { fillers } = sentencesOf(talk)
  const words = fillers[talk.fillers % fillers.length] ?? fillers[0]
  const said = Replies.say({ ...talk, fillers: talk.fillers + 1 }, words, { started_by: "agent", interruptible: false })
  // What the caller has said meanwhile is still to be answered.
  return { ...said, caller: talk.caller }
}
