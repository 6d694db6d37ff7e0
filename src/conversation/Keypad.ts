/**
 * The keys that the other side presses: digits that a tool collects, and keys that are a turn of their own. Collected
 * digits leave the talk only in the command `Collected`, and are in none of its texts. Pure.
 */
import * as Floor from "./Floor.ts"
import * as OptOut from "./OptOut.ts"
import * as Replies from "./Replies.ts"
import { emit, isAboutToCollect, isClosing, unplayed } from "./Talk.ts"
import type { Collection, Talk } from "./Talk.ts"
import type { CollectionEnd, Order } from "./TalkEvent.ts"

/** The most keys that a transcript shows. A longer row may be a number that no transcript may contain. */
const mostShown = 2
/** Keys this soon after a collection are hidden, because they may belong to its number. */
const afterCollectionMs = 15_000
/** How long the finishing key may follow a collection that the number of digits has already ended. */
const lateKeyMs = 5_000

/** Begins to collect digits for a tool. Keys that were pressed ahead count. An earlier collection ends. */
export const collect = (talk: Talk, call: string, order: Extract<Order, { readonly _tag: "Collect" }>): Talk => {
  const { collecting, pressed } = talk
  const before = collecting === null ? talk : finish(talk, collecting, "replaced")
  const { finish_on_key, max, min, timeout_ms } = order
  const collection = { call, min, max, finish_on_key, timeout_ms, digits: "", since: talk.at, is_private: false }
  const begun: Talk = { ...before, pressed: null, collecting: collection }
  return Array.from(pressed?.keys ?? "").reduce(onKey, begun)
}

export const onKey = (talk: Talk, key: string): Talk => {
  const { collecting, errand, gone } = talk
  if (gone !== null || talk.machine !== null) return talk
  if (talk.announcement_since !== null || talk.screening_since !== null) return talk
  const optedOut = OptOut.onKey(talk, key)
  if (optedOut !== null || errand !== null) return optedOut ?? talk
  const noticed: Talk = { ...talk, quiet_since: Math.max(talk.quiet_since, talk.at), silences: 0 }
  return collecting === null ? gather(noticed, key) : addDigit(noticed, collecting, key)
}

const addDigit = (talk: Talk, collecting: Collection, key: string): Talk => {
  // The caller has begun, so the question was understood.
  const silent = talk.reply === null || isClosing(talk) ? talk : Replies.cut(talk)
  if (key === collecting.finish_on_key) return finish(silent, collecting, "key")
  const digits = key === "*" ? "" : /^\d$/u.test(key) ? collecting.digits + key : collecting.digits
  const after: Collection = { ...collecting, digits, since: talk.at }
  const begun: Talk = { ...silent, collecting: after }
  return digits.length >= collecting.max ? finish(begun, after, "length") : begun
}

/** Ends the collection. The command gives the result to the tool that asked for it. */
export const finish = (talk: Talk, collecting: Collection, ended_by: CollectionEnd): Talk => {
  const { call, digits, finish_on_key, is_private, min } = collecting
  const isEnough = digits.length >= min
  const collected = { at: talk.at, late_key: ended_by === "length" ? finish_on_key : null }
  const over: Talk = { ...talk, collecting: null, collected }
  const done = is_private ? emit(over, { _tag: "SetPrivate", is_private: false }) : over
  return emit(done, { _tag: "Collected", call, digits: isEnough ? digits : null, count: digits.length, ended_by })
}

/** Ends the collection, if there is one, because its time is over or the other side is gone. */
export const giveUp = (talk: Talk, ended_by: CollectionEnd): Talk =>
  talk.collecting === null ? talk : finish(talk, talk.collecting, ended_by)

/** The tool was stopped: its digits are dropped. */
export const drop = (talk: Talk, call: string): Talk => {
  const { collecting } = talk
  if (collecting?.call !== call) return talk
  const dropped: Talk = { ...talk, collecting: null, collected: { at: talk.at, late_key: null } }
  return collecting.is_private ? emit(dropped, { _tag: "SetPrivate", is_private: false }) : dropped
}

/**
 * Makes the sound private from the end of the question, or from the first key: it may contain the digits from then on.
 */
export const keepPrivate = (talk: Talk): Talk => {
  const { collecting, ended, reply } = talk
  if (collecting === null || collecting.is_private || ended !== null) return talk
  if (reply !== null && (reply.thinking || unplayed(reply).length > 0)) return talk
  return emit({ ...talk, collecting: { ...collecting, is_private: true } }, { _tag: "SetPrivate", is_private: true })
}

/** Gathers keys that no tool has asked for. Together they are one turn. */
const gather = (talk: Talk, key: string): Talk => {
  const { collected, pressed } = talk
  if (pressed === null && key === collected?.late_key && talk.at - collected.at < lateKeyMs) {
    return { ...talk, collected: { ...collected, late_key: null } }
  }
  const keys = (pressed?.keys ?? "") + key
  const after: Talk = { ...talk, pressed: { keys, since: talk.at, from: pressed?.from ?? talk.at } }
  return isAboutToCollect(talk) ? after : Floor.holdForKey(after)
}

/** The gathered keys as the caller's words. */
export const wordsOf = ({ collected, pressed }: Talk): string => {
  const keys = pressed?.keys ?? ""
  const shown = keys.length > 1 && keys.endsWith("#") ? keys.slice(0, -1) : keys
  const since = pressed?.from ?? 0
  const isHidden = shown.length > mostShown || (collected !== null && since - collected.at < afterCollectionMs)
  return isHidden ? `[keys: ${shown.length} pressed, not shown]` : `[keys: ${shown}]`
}
