/**
 * Callbacks that a campaign dials: whether a person may be called back at a time, and when the call comes (decision
 * 0073). A callback is the contact's next attempt, so every rule of a dial holds for it once more when it is due.
 */
import { type CallingWindow, type Verdict, verdict } from "./CallingWindow.ts"
import type { RuleVerdict } from "./Rules.ts"
import { day } from "./ZoneClock.ts"

/** How often a campaign may let one contact be called back, at most. */
export const callbacksAtMost = 3
/** The most days between the request and the call. */
export const callbackDays = 30

/** The facts that the decision needs, as they are while the account's budget is locked. */
export interface CallbackFacts {
  /** The callbacks that were already dialled. */
  readonly callbacks: number
  /** How many its campaign permits. */
  readonly callbacks_per_contact: number
  /** Whether the number is on the do-not-call list. */
  readonly suppressed: boolean
  readonly window: CallingWindow | null
  /** Candidate time zones of the called party. Empty means unknown, and a window then refuses the call. */
  readonly zones: ReadonlyArray<string>
  /** What the campaign's rule packs and the window say to a call at the requested time; absent without packs. */
  readonly rules?: RuleVerdict
  readonly now: Date
}

export type CallbackRefusal = "in_the_past" | "too_far_ahead" | "do_not_call" | "callbacks_used_up" | "outside_window"

export type CallbackDecision =
  /** `at` is later than the requested time if the calling window is closed then. */
  { readonly _tag: "Agreed"; readonly at: Date } | { readonly _tag: "Refused"; readonly reason: CallbackRefusal }

/** Decides whether a contact is called back at the requested time. */
export const decideCallback = (
  requested: Date,
  { callbacks, callbacks_per_contact, now, rules, suppressed, window, zones }: CallbackFacts,
): CallbackDecision => {
  if (requested <= now) return refused("in_the_past")
  if (requested.getTime() > now.getTime() + callbackDays * day) return refused("too_far_ahead")
  if (suppressed) return refused("do_not_call")
  if (callbacks >= callbacks_per_contact) return refused("callbacks_used_up")
  if (window === null && rules === undefined) return { _tag: "Agreed", at: requested }
  const say = rules ?? (window === null ? open : verdict(window, zones, requested))
  if (say._tag === "Never") return refused("outside_window")
  return { _tag: "Agreed", at: say._tag === "Open" ? requested : say.at }
}

const open: Verdict = { _tag: "Open" }
const refused = (reason: CallbackRefusal): CallbackDecision => ({ _tag: "Refused", reason })
