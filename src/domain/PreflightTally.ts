/** The counts of a preflight. */
import type { Outcome } from "./Call.ts"
import type { DialLimit } from "./Forecast.ts"
import type { PreflightSkipped } from "./Preflight.ts"

const hour = 3_600_000
const skippedShown = 100

export class PreflightTally {
  considered = 0
  completed = 0
  failed = 0
  attempts = 0
  peak = 0
  readonly outcomes = new Map<Outcome, number>()
  readonly hours = new Map<number, number>()
  readonly waited = new Map<DialLimit, number>()
  readonly skipped = { do_not_call: 0, outside_window: 0, first: new Array<PreflightSkipped>() }
  /** The milliseconds of all calls together, and the milliseconds in which at least one call was in progress. */
  private readonly busy = { calls: 0, any: 0 }

  get pending(): number {
    const { do_not_call, outside_window } = this.skipped
    return this.considered - this.completed - this.failed - do_not_call - outside_window
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

  skip(skipped: PreflightSkipped): void {
    this.skipped[skipped.reason]++
    if (this.skipped.first.length < skippedShown) this.skipped.first.push(skipped)
  }

  /** Adds a span of time with this many live calls, and the limit that prevented further ones. */
  pass(milliseconds: number, active: number, reason: DialLimit | null): void {
    this.busy.calls += active * milliseconds
    if (active > 0) this.busy.any += milliseconds
    this.peak = Math.max(this.peak, active)
    if (reason !== null && milliseconds > 0) this.waited.set(reason, (this.waited.get(reason) ?? 0) + milliseconds)
  }
}
