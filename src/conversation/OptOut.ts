/** Handles the caller's wish not to be called again, which code detects independently of the brain. Pure. */
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

/** The wish is written, or that took too long: the agent confirms it, and the call ends. */
export const onOptedOut = (talk: Talk): Talk => {
  if (talk.errand?.kind !== "opt_out") return talk
  if (talk.gone !== null) return Replies.end(talk, "opted_out")
  return Replies.say({ ...talk, errand: null }, sentencesOf(talk).optedOut, {
    started_by: "caller",
    afterwards: { _tag: "End", reason: "opted_out", reopens: false },
  })
}
