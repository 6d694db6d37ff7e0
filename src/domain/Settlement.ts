/**
 * Decides what the end of an attempt means for its contact: completed, failed, or to be called again (decisions §2,
 * Contact; I5).
 */
import type { Outcome } from "./Call.ts"
import type { CampaignStatus } from "./Campaign.ts"

export interface AttemptEnd {
  readonly outcome: Outcome
  /** Whether a person was reached, or a voicemail took the agent's message. */
  readonly accepted: boolean
  readonly attempt_number: number
  readonly ended_at: Date
}

export interface RetryRules {
  readonly status: CampaignStatus
  readonly retries_per_contact: number
  readonly retry_delay_seconds: number
  readonly redial_unknown: boolean
}

export type Settlement =
  | { readonly status: "completed" | "failed" }
  | { readonly status: "pending"; readonly due_at: Date }
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

/** Decides what follows for the contact. It has one budget of attempts, whatever the mix of outcomes. */
export const settlementOf = (end: AttemptEnd, rules: RetryRules): Settlement => {
  if (end.accepted || end.outcome === "answered") return { status: "completed" }
  if (!isRetryable[end.outcome]) return { status: "failed" }
  // The phone may have rung in a call whose outcome is unknown.
  // guard: after an unknown outcome a contact is dialled again only if its campaign allows it (I5)
  if (end.outcome === "unknown" && !rules.redial_unknown) return { status: "failed" }
  // end of guard
  // guard: a contact has at most 1 + retries_per_contact attempts (I5)
  if (end.attempt_number > rules.retries_per_contact) return { status: "failed" }
  // end of guard
  // The campaign ended during the call. The contact would have to wait, and waiting contacts of an ended campaign are
  // skipped.
  if (rules.status === "completed" || rules.status === "failed") return { status: "skipped", skip_reason: "stopped" }
  return { status: "pending", due_at: new Date(end.ended_at.getTime() + rules.retry_delay_seconds * 1000) }
}
