/** Handles the caller's wish not to be called again, which code detects independently of the brain. Pure. */
import type { EndReason } from "../domain/Call.ts"
import type { OptOutSign } from "../domain/CallOptOut.ts"
import { wantsNoCalls, wantsNoCallsWhateverFollows } from "../languages/OptOut.ts"
import * as Replies from "./Replies.ts"
import { emit, isAboutToCollect, isClosing, sentencesOf } from "./Talk.ts"
import type { Talk } from "./Talk.ts"

/** Writes the wish. The agent confirms it when it is written (`onOptedOut`). */
const write = (talk: Talk, by: OptOutSign): Talk =>
  emit({ ...talk, errand: { kind: "opt_out", since: talk.at } }, orderFor(talk, by))

const orderFor = ({ at }: Talk, by: OptOutSign) => ({ _tag: "OptOut", by, at_ms: Math.round(at) }) as const

/** Ends the caller's turn. The agent answers it, unless it was a wish not to be called, which is written first. */
export const endCallerTurn = (talk: Talk): Talk => {
  const { owed } = talk.caller
  if (owed !== null && wantsNoCalls(owed.text)) {
    return write(talk, "words")
  }
  return Replies.answer(talk, { started_by: "caller" })
}

/** If the text is a wish not to be called, writes it. The agent gives no answer to it. */
export const writeIfWish = (talk: Talk, text: string): Talk =>
  talk.errand?.kind !== "opt_out" && wantsNoCalls(text) ? emit(talk, orderFor(talk, "words")) : talk

/**
 * If no words that may follow can change that the text is a wish not to be called, writes it at once, before the turn has
 * ended, and cuts what the agent says. During a goodbye, a transfer or a person's talk, other functions write the wish.
 */
export const writeAtOnceIfWish = (talk: Talk, text: string): Talk =>
  talk.errand === null && talk.gone === null && !isClosing(talk) && wantsNoCallsWhateverFollows(text)
    ? write(Replies.cut(talk), "words")
    : talk

/**
 * Handles a key. Returns null if it is not the key against further calls, or if it belongs to a row of keys. Without an
 * answer of the agent, the wish is only written.
 */
export const onKey = (talk: Talk, key: string): Talk | null => {
  const { collecting, errand, pressed, setup } = talk
  if (key !== setup.opt_out_key || collecting !== null || pressed !== null || isAboutToCollect(talk)) return null
  if (errand?.kind === "opt_out") return talk
  return errand !== null || isClosing(talk) ? emit(talk, orderFor(talk, "key")) : write(Replies.cut(talk), "key")
}

/** Ends the call although the caller's turn may not be answered yet. */
export const endUnanswered = (talk: Talk, reason: EndReason): Talk =>
  Replies.end(writeIfWish(talk, talk.caller.owed?.text ?? ""), reason)

/** The wish is written, or that took too long: the agent confirms it, and the call ends. */
export const onOptedOut = (talk: Talk): Talk => {
  if (talk.errand?.kind !== "opt_out") return talk
  if (talk.gone !== null) return Replies.end(talk, "opted_out")
  return Replies.say({ ...talk, errand: null }, sentencesOf(talk).optedOut, {
    started_by: "caller",
    afterwards: { _tag: "End", reason: "opted_out", reopens: false },
  })
}
