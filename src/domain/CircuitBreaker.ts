/**
 * Decides when a campaign is paused because its carrier fails: continuing would use up the attempts of every contact.
 * An operator fixes the cause and resumes the campaign.
 */
import type { EndReason, Outcome } from "./Call.ts"

export interface BreakerSettings {
  /** The breaker opens when the carrier fails at least this share of calls, from 0 to 1; 0 turns it off. */
  readonly share: number
  readonly window_seconds: number
  /** With fewer calls than this, the breaker stays closed. */
  readonly least_calls: number
}

/** Whether the carrier failed one ended call; null if Parley's side failed, or if the cause is unknown. */
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
  /** The number of calls that ended in the window, and how many of them the carrier failed. */
  readonly ended: number
  readonly failed: number
  /**
   * The number of calls in progress that the carrier has accepted. They count because failures are quick: the first
   * calls to end are mostly failures.
   */
  readonly taken: number
}

/** Standard deviations of a one-sided confidence of 95 %. */
const confidence95 = 1.645

/**
 * The lowest share of failures that explains `failed` of `calls` with 95 % confidence: the lower bound of Wilson's
 * score interval, which also holds for few calls.
 */
export const leastShare = (failed: number, calls: number): number => {
  if (calls === 0) return 0
  const seen = failed / calls
  const squared = confidence95 ** 2
  const spread = confidence95 * Math.sqrt((seen * (1 - seen)) / calls + squared / (4 * calls ** 2))
  return (seen + squared / (2 * calls) - spread) / (1 + squared / calls)
}

/** The number of calls for which it is known whether the carrier accepted them. */
const judgedCalls = ({ ended, taken }: CarrierHealth): number => ended + taken

/**
 * Whether the breaker opens: at least `least_calls` calls are evidence that the carrier fails at least `share` of them,
 * or it failed all of them.
 */
export const opens = (health: CarrierHealth, { least_calls, share }: BreakerSettings): boolean => {
  const calls = judgedCalls(health)
  if (share === 0 || health.failed === 0 || calls < least_calls) return false
  return health.failed === calls || leastShare(health.failed, calls) >= share
}

/** The sentence that tells an operator why a campaign was paused and what to do. */
export const pauseSentence = (health: CarrierHealth, { window_seconds }: BreakerSettings): string => {
  const [count, unit] = window_seconds % 60 === 0 ? [window_seconds / 60, "minute"] : [window_seconds, "second"]
  const within = `${count} ${unit}${count === 1 ? "" : "s"}`
  return `The carrier failed ${health.failed} of the last ${judgedCalls(health)} calls within ${within}, so the campaign was paused. Check the phone number's credentials and the carrier, then resume.`
}
