/**
 * When a campaign stops by itself because its carrier fails: to go on would use up the attempts of everybody on its
 * list. It is paused, somebody looks, and resumes it by hand.
 */
import type { EndReason, Outcome } from "./Call.ts"

export interface BreakerSettings {
  /** The share of failed calls at which it opens, 0 to 1; 0 turns it off. */
  readonly share: number
  readonly window_seconds: number
  /** Fewer calls than these say nothing. */
  readonly least_calls: number
}

/** What one ended call says of its carrier: nothing when our own end failed, or when nobody knows. */
export const carrierFailed = (outcome: Outcome, end_reason: EndReason): boolean | null => {
  if (outcome === "unknown" || end_reason === "interrupted") return null
  if (outcome !== "carrier_error") return false
  return isOurs.has(end_reason) ? null : true
}
const isOurs: ReadonlySet<EndReason> = new Set([
  "agent_missing",
  "phone_number_missing",
  "carrier_unavailable",
  "agent_error",
])

export interface CarrierHealth {
  /** Calls that ended in the window, and how many of them the carrier failed. */
  readonly ended: number
  readonly failed: number
  /** Calls that it has taken and that go on: a failure is quick, so the first ends are mostly failures. */
  readonly taken: number
}

export const opens = ({ ended, failed, taken }: CarrierHealth, settings: BreakerSettings): boolean =>
  settings.share > 0 && ended >= settings.least_calls && failed > 0 && failed >= settings.share * (ended + taken)
