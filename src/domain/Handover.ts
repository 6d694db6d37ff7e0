/**
 * The states of a warm transfer: a second call to a person, who takes over the caller by pressing a key, and then the
 * bridge between the two calls. Every legal move is a cell of `moves`; an event without a cell comes too late and
 * changes nothing. Pure.
 */
import type { EndReason, Outcome } from "./Call.ts"

export type HandoverState =
  | "dialling"
  /** The person hears who is waiting, and may press the key. */
  | "announcing"
  | "bridged"
  | "completed"
  | "not_answered"
  | "not_taken"
  | "machine"
  /** The caller was gone before the person took the call. */
  | "abandoned"

export type HandoverEvent =
  | "refused"
  | "answered"
  | "taken"
  | "declined"
  | "timed_out"
  | "machine"
  | "target_gone"
  | "caller_gone"

const moves: Record<HandoverState, Partial<Record<HandoverEvent, HandoverState>>> = {
  dialling: { refused: "not_answered", answered: "announcing", caller_gone: "abandoned" },
  announcing: {
    taken: "bridged",
    declined: "not_taken",
    timed_out: "not_taken",
    target_gone: "not_taken",
    machine: "machine",
    caller_gone: "abandoned",
  },
  bridged: { target_gone: "completed", caller_gone: "completed" },
  completed: {},
  not_answered: {},
  not_taken: {},
  machine: {},
  abandoned: {},
}

export const move = (from: HandoverState, event: HandoverEvent): HandoverState => moves[from][event] ?? from

export const isOver = (state: HandoverState): boolean => Object.keys(moves[state]).length === 0

/** How the second call ends after it was answered. */
export const endOf = (state: HandoverState): { readonly outcome: Outcome; readonly end_reason: EndReason } => {
  if (state === "machine") return { outcome: "voicemail", end_reason: "voicemail" }
  if (state === "completed" || state === "bridged") return { outcome: "answered", end_reason: "transferred" }
  return { outcome: "answered", end_reason: "not_taken" }
}

/** Why a warm transfer did not happen, as the agent is told. */
export type HandoverFailure =
  | "do_not_call"
  | "no_slot"
  | "per_minute_cap"
  | "daily_cap"
  | "spend_cap"
  | "no_price"
  | "busy"
  | "not_answered"
  | "not_taken"
  | "machine"
  | "failed"

export const failureSentences: Record<HandoverFailure, string> = {
  do_not_call: "The number is on the do-not-call list, so it was not called.",
  no_slot: "All slots for calls are in use, so the person was not called.",
  per_minute_cap: "No further call can begin in this minute, so the person was not called. It may work a minute later.",
  daily_cap: "No further call can be placed today, so the person was not called.",
  spend_cap: "What may be spent on calls today does not cover another call, so the person was not called.",
  no_price:
    "What the call would cost is not known, so the person was not called. An administrator has to add its price.",
  busy: "The person is in another call.",
  not_answered: "The person did not answer.",
  not_taken: "The person answered, but did not take the call.",
  machine: "A voicemail or another machine answered.",
  failed: "The call to the person failed.",
}
