/**
 * How much of the caps is used in a preflight, by the calls that it simulates and by those that the account began
 * before.
 */
import type { Admission } from "./Cap.ts"
import type { NumberPace } from "./NumberPace.ts"
import type { PlannedNumber } from "./PlannedNumber.ts"
import { PreflightPool } from "./PreflightPool.ts"
import { StartedCalls } from "./StartedCalls.ts"
import { nextDay } from "./ZoneClock.ts"

export interface PreflightUse {
  readonly starting_at: number
  readonly account: {
    readonly concurrent_max: number
    readonly calls_per_minute: number
    readonly calls_per_day: number
    readonly time_zone: string
  }
  readonly max_calls_per_minute: number | null
  /** The numbers that the campaign calls from, at `starting_at`. */
  readonly numbers: ReadonlyArray<PlannedNumber>
  /** The account's calls today, if the campaign starts today. */
  readonly calls_today: number
  /** When calls began in the minute before `starting_at`, ascending. */
  readonly begun: { readonly account: ReadonlyArray<number>; readonly campaign: ReadonlyArray<number> }
}

export class PreflightCaps {
  private readonly use: PreflightUse
  private readonly account = new StartedCalls()
  private readonly campaign = new StartedCalls()
  private readonly pool: PreflightPool
  private today: { ends: number; calls: number }

  constructor(use: PreflightUse) {
    this.use = use
    this.pool = new PreflightPool(use.numbers, use.starting_at, use.account.time_zone)
    this.today = { ends: nextDay(use.account.time_zone, use.starting_at), calls: use.calls_today }
    for (const at of use.begun.account) this.account.begin(at)
    for (const at of use.begun.campaign) this.campaign.begin(at)
  }

  usage(active: number, now: number): Admission["usage"] {
    const { calls_per_day, calls_per_minute, concurrent_max } = this.use.account
    const today = this.dayOf(now)
    const frees = new Date(this.account.freesAt(calls_per_minute, now))
    return {
      concurrent_cap: { used: active, limit: concurrent_max, resets_at: new Date(now) },
      per_minute_cap: { used: this.account.within(now), limit: calls_per_minute, resets_at: frees },
      daily_cap: { used: today.calls, limit: calls_per_day, resets_at: new Date(today.ends) },
    }
  }

  /**
   * The campaign's calls of the past minute, and when the next place becomes free. `frees_at` is null if a place is
   * free now, or if the campaign has no limit of its own.
   */
  ownMinute(now: number) {
    const limit = this.use.max_calls_per_minute
    const used = this.campaign.within(now)
    return { used, frees_at: limit === null || used < limit ? null : this.campaign.freesAt(limit, now) }
  }

  /** Milliseconds for which no number of the campaign may call, if the dialler says that it waits for one; otherwise 0. */
  numbersHeldMs(now: number): number {
    return this.pool.heldMs(now)
  }

  numberPace(now: number): NumberPace {
    return this.pool.pace(now)
  }

  begin(calls: number, now: number): void {
    if (calls === 0) return
    for (let call = 0; call < calls; call++) {
      this.account.begin(now)
      this.campaign.begin(now)
    }
    this.dayOf(now).calls += calls
    this.pool.begin(calls, now)
  }

  private dayOf(now: number) {
    if (now >= this.today.ends) this.today = { ends: nextDay(this.use.account.time_zone, now), calls: 0 }
    return this.today
  }
}
