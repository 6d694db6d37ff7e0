/** Handles the caller's wish not to be called again, which code detects independently of the brain. Pure. */
import type { EndReason } from "../domain/Call.ts"
import { wantsNoCalls } from "../languages/OptOut.ts"
import * as Replies from "./Replies.ts"
import { emit, sentencesOf } from "./Talk.ts"
import type { Talk } from "./Talk.ts"

/** Ends the caller's turn. The agent answers it, unless it was a wish not to be called, which is written first. */
export const endCallerTurn = (talk: Talk): Talk => {
  const { owed } = talk.caller
  if (owed !== null && wantsNoCalls(owed.text)) {
    return emit({ ...talk, errand: { kind: "opt_out", since: talk.at } }, { _tag: "OptOut" })
  }
  return Replies.answer(talk, { started_by: "caller" })
}

/** Writes a wish not to be called to which the agent gives no answer. */
export const heed = (talk: Talk, text: string): Talk =>
  talk.errand?.kind !== "opt_out" && wantsNoCalls(text) ? emit(talk, { _tag: "OptOut" }) : talk

/** Ends the call although the caller's turn may not be answered yet. */
export const endUnanswered = (talk: Talk, reason: EndReason): Talk =>
  Replies.end(heed(talk, talk.caller.owed?.text ?? ""), reason)

/** The wish is written, or that took too long: the agent confirms it, and the call ends. */
export const onOptedOut = (talk: Talk): Talk => {
  if (talk.errand?.kind !== "opt_out") return talk
  if (talk.gone !== null) return Replies.end(talk, "opted_out")
  return Replies.say({ ...talk, errand: null }, sentencesOf(talk).optedOut, {
    started_by: "caller",
    afterwards: { _tag: "End", reason: "opted_out", reopens: false },
  })
}
