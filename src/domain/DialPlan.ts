/** A campaign's own limits, and what it waits for when it begins fewer calls than it wants to (I2, decisions §5). */
import type { CampaignStatus, WaitingFor } from "./Campaign.ts"
import type { Admission } from "./Cap.ts"
import type { TimedWait } from "./DialDecision.ts"

/** What a dial pass does in each state: dial, wait for news, or stop for good (I7, I8). */
export const passIn: Record<CampaignStatus, "dial" | "wait" | "over"> = {
  draft: "wait",
  running: "dial",
  paused: "wait",
  completed: "over",
  failed: "over",
}

export interface Pace {
  readonly max_concurrent_calls: number
  /** The campaign's calls that have not ended. */
  readonly active_calls: number
  readonly max_calls_per_minute: number | null
  /** The campaign's calls that began in the last 60 seconds. */
  readonly last_minute: number
}

/**
 * The maximum number of calls in one transaction, which locks the account's budget for some 40 ms. A transaction has a
 * fixed cost: with batches of 500, a contact took a fifth longer (decision 0015).
 */
export const largestBatch = 1_000
/** A campaign of any size may claim this many calls at once, if its limits permit it. */
const commonBatch = 500

/**
 * The maximum number of calls in one batch: half of the campaign's slots, but at least `commonBatch` and at most
 * `largestBatch`. While one half is being claimed or settled, the calls of the other half begin and end, so a large
 * campaign never begins all its calls at once.
 */
export const batchOf = ({ max_concurrent_calls }: Pick<Pace, "max_concurrent_calls">): number =>
  Math.min(largestBatch, Math.max(commonBatch, Math.floor(max_concurrent_calls / 2)))

/** What the campaign's own limits leave, before the account's caps are asked. */
export const callsWanted = (pace: Pace): { readonly calls: number; readonly stopped_by: WaitingFor | null } => {
  let slots = pace.max_concurrent_calls
  slots -= pace.active_calls // guard: a campaign has at most max_concurrent_calls running calls (I2)
  const thisMinute =
    pace.max_calls_per_minute === null ? slots : Math.max(0, pace.max_calls_per_minute - pace.last_minute)
  const calls = Math.max(0, Math.min(slots, thisMinute, batchOf(pace)))
  return { calls, stopped_by: thisMinute < slots ? "per_minute_cap" : null }
}

export interface Claimed {
  /** The campaign's own limit that stopped further calls; null if none did. */
  readonly own: WaitingFor | null
  /** The admission by the account's caps; null if they were not asked because nothing was wanted. */
  readonly admission: Pick<Admission, "admitted" | "stopped_by"> | null
  readonly begun: number
  /** Why the next contact to become due is waiting, among those that wait for a time. */
  readonly next: { readonly waits_for: TimedWait } | null
  /** Whether some contacts are due and wait only for a place, or for a call to their number to end. */
  readonly due: boolean
}

/**
 * Returns what the campaign waits for. A campaign that dials as fast as it may waits for nothing, and neither does one
 * whose last contacts are in their calls. If there are several reasons, this is the one that must be removed first.
 */
export const waitingFor = ({ admission, begun, due, next, own }: Claimed): WaitingFor | null => {
  if (admission !== null && admission.stopped_by !== null && begun >= admission.admitted && due)
    return admission.stopped_by
  if (due) return own
  return next === null ? null : next.waits_for
}
