/**
 * How much of the caps is used in a preflight, by the calls that it simulates and by those that the account began
 * before.
 */
import type { Admission } from "./Cap.ts"
import { groupOf, type NumberPace, spacingSeconds } from "./NumberPace.ts"
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
  /** The pace of the campaign's phone number. */
  readonly calls_per_second: number | null
  /** The account's calls today, if the campaign starts today. */
  readonly calls_today: number
  /**
   * The calls that the campaign's numbers may begin together, on the day of `starting_at` and on each later day. Null if
   * one of them has no limit per day.
   */
  readonly numbers_day: { readonly left: number; readonly limit: number } | null
  /** When calls began in the minute before `starting_at`, ascending. */
  readonly begun: { readonly account: ReadonlyArray<number>; readonly campaign: ReadonlyArray<number> }
}

export class PreflightCaps {
  private readonly use: PreflightUse
  private readonly account = new StartedCalls()
  private readonly campaign = new StartedCalls()
  private today: { ends: number; calls: number; left_of_numbers: number }
  private numberFreeAt = 0

  constructor(use: PreflightUse) {
    this.use = use
    this.today = {
      ends: nextDay(use.account.time_zone, use.starting_at),
      calls: use.calls_today,
      left_of_numbers: use.numbers_day?.left ?? Infinity,
    }
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

  /** Milliseconds until the next day, if the campaign's numbers have begun all calls of this one; otherwise 0. */
  numbersHeldMs(now: number): number {
    const { ends, left_of_numbers } = this.dayOf(now)
    return left_of_numbers > 0 ? 0 : ends - now
  }

  numberPace(now: number): NumberPace {
    const { calls_per_second } = this.use
    const left = this.dayOf(now).left_of_numbers
    const paced_ms = calls_per_second === null ? 0 : Math.max(0, Math.ceil(this.numberFreeAt - now))
    const free_in_ms = Math.max(paced_ms, this.numbersHeldMs(now))
    const group = calls_per_second === null ? Infinity : groupOf(calls_per_second)
    return { calls_per_second, free: free_in_ms === 0 ? Math.min(group, left) : 0, free_in_ms }
  }

  begin(calls: number, now: number): void {
    if (calls === 0) return
    for (let call = 0; call < calls; call++) {
      this.account.begin(now)
      this.campaign.begin(now)
    }
    const today = this.dayOf(now)
    today.calls += calls
    today.left_of_numbers -= calls
    const { calls_per_second } = this.use
    if (calls_per_second !== null) this.numberFreeAt = now + spacingSeconds(calls_per_second, calls) * 1_000
  }

  private dayOf(now: number) {
    const { account, numbers_day } = this.use
    if (now >= this.today.ends) {
      const left_of_numbers = numbers_day?.limit ?? Infinity
      this.today = { ends: nextDay(account.time_zone, now), calls: 0, left_of_numbers }
    }
    return this.today
  }
}
