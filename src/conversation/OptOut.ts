/** Handles the caller's wish not to be called again, which code detects independently of the brain. Pure. */
import { wantsNoCalls } from "../languages/OptOut.ts"
import * as Replies from "./Replies.ts"
import { emit, sentencesOf } from "./Talk.ts"
import type { Talk } from "./Talk.ts"

/** The caller's turn is over: it is answered, unless it was that wish. */
export const endCallerTurn = (talk: Talk): Talk => {
  const { owed } = talk.caller
  if (owed !== null && wantsNoCalls(owed.text)) {
    return emit({ ...talk, errand: { kind: "opt_out", since: talk.at } }, { _tag: "OptOut" })
  }
  return Replies.answer(talk, { started_by: "caller" })
}

/** It is written, or that took too long: it is confirmed, and the call ends. */
export const onOptedOut = (talk: Talk): Talk => {
  if (talk.errand?.kind !== "opt_out") return talk
  if (talk.gone !== null) return Replies.end(talk, "opted_out")
  return Replies.say({ ...talk, errand: null }, sentencesOf(talk).optedOut, {
    started_by: "caller",
    afterwards: { _tag: "End", reason: "opted_out", reopens: false },
  })
}
