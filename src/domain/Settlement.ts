/**
 * Decides what the end of an attempt means for its contact: completed, failed, or to be called again (decisions §2,
 * Contact; I5).
 */
import type { Outcome } from "./Call.ts"
import type { CampaignStatus } from "./Campaign.ts"
import { retriesAfter, type RetryByOutcome, retryDelay } from "./RetryByOutcome.ts"

export interface AttemptEnd {
  readonly outcome: Outcome
  /** Whether a person was reached, or a voicemail took the agent's message. */
  readonly accepted: boolean
  readonly attempt_number: number
  /** The contact's attempts that ended with this outcome, including this one. */
  readonly same_outcome: number
  readonly ended_at: Date
  /** The time for which the person was promised a callback in this call; null if none was promised. */
  readonly callback_at: Date | null
  /** The contact's callbacks that were dialled, perhaps with this attempt. */
  readonly callbacks: number
  /** Whether the person has another number, which is not known as one that does not exist. */
  readonly has_other_number?: boolean
}

export interface RetryRules {
  readonly status: CampaignStatus
  readonly retries_per_contact: number
  readonly retry_delay_seconds: number
  readonly retry_by_outcome: RetryByOutcome | null
  readonly redial_unknown: boolean
}

export type Settlement =
  | { readonly status: "completed" | "failed" }
  | { readonly status: "pending"; readonly due_at: Date; readonly waits_for: "retry_delay" | "callback" }
  | { readonly status: "skipped"; readonly skip_reason: "stopped" }

/**
 * Whether an outcome is worth another attempt. A person who declined and a number that does not exist are not.
 * `voicemail` here means that no message was left.
 */
const isRetryable: Record<Outcome, boolean> = {
  answered: false,
  voicemail: true,
  no_answer: true,
  busy: true,
  carrier_error: true,
  rejected: false,
  invalid_number: false,
  unknown: true,
}

/**
 * The attempts that a contact may have. A callback permits one in addition, because the person asked for it: it uses up
 * none of the campaign's retries.
 */
export const attemptsAllowed = (rules: Pick<RetryRules, "retries_per_contact">, callbacks: number): number =>
  1 + rules.retries_per_contact + callbacks

/**
 * Decides what follows for the contact: the callback that it was promised, whatever else the outcome means, or by the
 * outcome. It has one budget of attempts, whatever the mix of outcomes; an outcome may have fewer of its own.
 */
export const settlementOf = (end: AttemptEnd, rules: RetryRules): Settlement => {
  const isOver = rules.status === "completed" || rules.status === "failed"
  if (end.callback_at !== null && !isOver) return { status: "pending", due_at: end.callback_at, waits_for: "callback" }
  if (end.accepted || end.outcome === "answered") return { status: "completed" }
  const goesOn = end.outcome === "invalid_number" && end.has_other_number === true
  if (!isRetryable[end.outcome] && !goesOn) return { status: "failed" }
  // The phone may have rung in a call whose outcome is unknown.
  // guard: after an unknown outcome a contact is dialled again only if its campaign allows it (I5)
  if (end.outcome === "unknown" && !rules.redial_unknown) return { status: "failed" }
  // end of guard
  // guard: a contact has at most 1 + retries_per_contact attempts, and one more for each callback (I5)
  if (end.attempt_number >= attemptsAllowed(rules, end.callbacks)) return { status: "failed" }
  // end of guard
  // guard: after one outcome a contact has at most as many retries as the campaign has for it (I5)
  if (end.same_outcome > retriesAfter(end.outcome, rules.retry_by_outcome)) return { status: "failed" }
  // end of guard
  // The campaign ended during the call. The contact would have to wait, and waiting contacts of an ended campaign are
  // skipped.
  if (isOver) return { status: "skipped", skip_reason: "stopped" }
  // A number that does not exist disturbed no person, so the next one is called at once.
  const delay = goesOn ? 0 : retryDelay(end.outcome, rules)
  const due_at = new Date(end.ended_at.getTime() + delay * 1000)
  return { status: "pending", due_at, waits_for: "retry_delay" }
}
