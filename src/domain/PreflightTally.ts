/** The counts of a preflight. */
import type { Outcome } from "./Call.ts"
import type { DialLimit } from "./Forecast.ts"
import type { PreflightSkipped } from "./Preflight.ts"
import type { AppliedRule } from "./Rules.ts"

const hour = 3_600_000
const skippedShown = 100

interface RefusedByRule {
  readonly rule: AppliedRule
  readonly skipped: Set<number>
  readonly put_off: Set<number>
}

export class PreflightTally {
  considered = 0
  completed = 0
  failed = 0
  attempts = 0
  peak = 0
  readonly outcomes = new Map<Outcome, number>()
  readonly hours = new Map<number, number>()
  readonly waited = new Map<DialLimit, number>()
  /** The end of the last wait for each limit. */
  readonly waitedUntil = new Map<DialLimit, number>()
  readonly skipped = { do_not_call: 0, no_consent: 0, outside_window: 0, rule: 0, first: new Array<PreflightSkipped>() }
  /** The contacts that each rule of a pack refused, by their positions. */
  readonly refused = new Map<string, RefusedByRule>()
  /** The contacts for whose place no pack was chosen. */
  unchecked = 0
  /** The contacts that a quiet period put off, by their positions. */
  readonly quiet = new Set<number>()
  /** The milliseconds of all calls together, and the milliseconds in which at least one call was in progress. */
  private readonly busy = { calls: 0, any: 0 }

  get pending(): number {
    return this.considered - this.completed - this.failed - this.skippedInAll
  }

  get skippedInAll(): number {
    const { do_not_call, no_consent, outside_window, rule } = this.skipped
    return do_not_call + no_consent + outside_window + rule
  }

  get averageSlots(): number {
    return this.busy.any === 0 ? 0 : this.busy.calls / this.busy.any
  }

  begin(calls: number, now: number): void {
    if (calls === 0) return
    const at = Math.floor(now / hour) * hour
    this.attempts += calls
    this.hours.set(at, (this.hours.get(at) ?? 0) + calls)
  }

  end(outcome: Outcome): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
  }

  /** Counts the contact once for each rule and kind of refusal. */
  refuse(rule: AppliedRule, position: number, as: "skipped" | "put_off"): void {
    const key = `${rule.pack} ${rule.rule}`
    const own = this.refused.get(key) ?? { rule, skipped: new Set(), put_off: new Set() }
    own[as].add(position)
    this.refused.set(key, own)
  }

  skip(skipped: PreflightSkipped): void {
    this.skipped[skipped.reason]++
    if (this.skipped.first.length < skippedShown) this.skipped.first.push(skipped)
  }

  /** Adds a span of time with this many live calls, and the limit that prevented further ones. */
  pass(from: number, until: number, active: number, reason: DialLimit | null): void {
    const milliseconds = until - from
    this.busy.calls += active * milliseconds
    if (active > 0) this.busy.any += milliseconds
    this.peak = Math.max(this.peak, active)
    if (reason === null || milliseconds <= 0) return
    this.waited.set(reason, (this.waited.get(reason) ?? 0) + milliseconds)
    this.waitedUntil.set(reason, until)
  }

  /** The campaign never goes on without a change by a user. */
  waitForEver(reason: DialLimit): void {
    this.waited.set(reason, Infinity)
    this.waitedUntil.set(reason, Infinity)
  }

  /** The limit that costs the most time, and the end of the last wait for it. */
  longestWait() {
    const [first] = [...this.waited].sort(([, a], [, b]) => b - a)
    const limited_by = first?.[0] ?? null
    return { limited_by, limited_until: limited_by === null ? null : (this.waitedUntil.get(limited_by) ?? null) }
  }
}
