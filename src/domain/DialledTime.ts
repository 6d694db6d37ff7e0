/**
 * When the last call of a forecast begins, and for how long each limit keeps it waiting: a walk through the days of the
 * campaign, in which calls are counted and not placed one by one. Pure.
 */
import { findClosing, verdict } from "./CallingWindow.ts"
import type { DialLimit, ForecastEnd, ForecastFacts } from "./Forecast.ts"
import { ForecastMoney } from "./ForecastMoney.ts"
import { ForecastNumbers } from "./ForecastNumbers.ts"
import type { SpendCap } from "./SpendCap.ts"
import { day, nextDay } from "./ZoneClock.ts"

/** The horizon of the forecast, which is also that of a preflight. */
export const longest = 366 * day
/** After this time, each week is assumed to be like the one before: caps and windows repeat weekly. */
const walked = 14 * day
const week = 7 * day
/** Counts below this count as zero: expected values have fractions. */
export const negligible = 1e-6
/** The pace is constant for at least this long, so that a hundred numbers with limits of their own cost few steps. */
const leastStep = 600_000

interface Group {
  readonly zones: ReadonlyArray<string>
  left: number
}

interface Waited {
  readonly milliseconds: number
  /** The end of the last wait. */
  readonly until: number
}

/**
 * Walks through the days. Calls begin at a constant pace while a window is open, and the day has calls and money left,
 * until a number reaches its limit or money permits fewer slots.
 */
export class DialledTime {
  perMillisecond = 0
  private readonly facts: ForecastFacts
  private readonly numbers: ForecastNumbers
  private readonly money: ForecastMoney | null
  /** The groups whose window opens some day, once the run has begun. */
  private groups: ReadonlyArray<Group>
  private readonly waited = new Map<DialLimit, Waited>()
  private spendCap: SpendCap | null = null
  /** Whether no call has begun yet: a burst precedes the pace. */
  private hasBurst = true
  private at: number
  private today: { ends: number; left: number }

  constructor(facts: ForecastFacts, attempts: number) {
    this.facts = facts
    this.at = facts.from
    this.numbers = new ForecastNumbers(facts.numbers)
    this.money = facts.money === null ? null : new ForecastMoney(facts.money)
    const { calls_per_day, time_zone } = facts.account
    this.today = { ends: nextDay(time_zone, this.at), left: Math.max(0, calls_per_day - facts.calls_today) }
    const groups = facts.window === null ? [{ share: 1, zones: [] }] : facts.zones
    this.groups = groups.map(({ share, zones }) => ({ zones, left: attempts * share }))
  }

  /** When the last call begins, in milliseconds since 1970; null if that is beyond the horizon. */
  *run(): Generator<void, number | null> {
    const openings = yield* this.openingsOf(this.groups, this.at)
    this.groups = this.groups.filter((_, index) => openings[index] !== null)
    if (this.money !== null && this.money.callsInAll() < this.left()) {
      this.spendCap = "max_spend"
      this.wait("spend_cap", Infinity, Infinity)
      return null
    }
    let leftAfterAWeek = 0
    let hasSkipped = false
    for (let left = this.left(); left > negligible; left = this.left()) {
      const passed = this.at - this.facts.from
      if (passed > longest) return null
      if (passed < week) leftAfterAWeek = left
      if (passed >= walked && !hasSkipped) {
        hasSkipped = true
        this.skipWeeks(left, leftAfterAWeek - left)
      }
      yield* this.step()
    }
    return this.at
  }

  wait(limit: DialLimit, milliseconds: number, until: number): void {
    if (milliseconds <= 0) return
    this.waited.set(limit, { milliseconds: (this.waited.get(limit)?.milliseconds ?? 0) + milliseconds, until })
  }

  longestWait(): Omit<ForecastEnd, "ends_at"> {
    const [first] = [...this.waited].sort(([, a], [, b]) => b.milliseconds - a.milliseconds)
    const limited_by = first?.[0] ?? null
    const spend_cap = limited_by === "spend_cap" ? this.spendCap : null
    return { limited_by, spend_cap, limited_until: first?.[1].until ?? null }
  }

  /** The first moment at or after `at` at which a contact may be called. */
  *nextOpening(at: number): Generator<void, number> {
    const openings = (yield* this.openingsOf(this.groups, at)).filter((opens) => opens !== null)
    return openings.length === 0 ? at : Math.min(...openings)
  }

  private left(): number {
    return this.groups.reduce((sum, { left }) => sum + left, 0)
  }

  private *step(): Generator<void, void> {
    if (this.at >= this.today.ends) this.beginDay()
    const waiting = this.groups.filter(({ left }) => left > negligible)
    const openings = (yield* this.openingsOf(waiting, this.at)).map((opens) => opens ?? Infinity)
    const open = waiting.filter((_, index) => openings[index] === this.at)
    const nextOpening = Math.min(...openings.filter((opens) => opens > this.at))
    if (open.length === 0) return this.passUntil(nextOpening, "calling_window")
    const before = this.findStop()
    if (before !== null) return this.passUntil(before.until, before.limit)
    const { burst, isPaced, limit, perSecond, slots } = paceOf(this.facts, this.numbers, this.money, this.at)
    this.perMillisecond = perSecond / 1_000
    if (limit === "spend_cap") this.spendCap = this.money?.scarcest()?.cap ?? null
    if (this.hasBurst) this.dial(open, burst, isPaced)
    this.hasBurst = false
    const left = open.reduce((sum, group) => sum + group.left, 0)
    if (left <= negligible) return
    const stop = this.findStop()
    if (stop !== null) return this.passUntil(stop.until, stop.limit)
    const change = Math.min(
      this.numbers.callsUntilChange(this.at, isPaced),
      this.money?.callsUntilChange(slots) ?? Infinity,
    )
    const until = Math.max(
      this.at + 1,
      Math.min(
        this.at + Math.min(left, this.callsLeft()) / this.perMillisecond,
        this.at + Math.max(leastStep, change / this.perMillisecond),
        this.today.ends,
        this.numbers.changesAt(this.at),
        nextOpening,
        ...open.map((group) => this.closesAt(group)),
      ),
    )
    this.dial(open, (until - this.at) * this.perMillisecond, isPaced)
    this.passUntil(until, limit)
  }

  /** The calls that may begin before a limit of the day or the money ends. */
  private callsLeft(): number {
    return Math.min(this.today.left, this.numbers.left(this.at), this.money?.scarcest()?.calls ?? Infinity)
  }

  /** The limit that permits no call now, and when it does; of several the one that lasts the longest. */
  private findStop(): { readonly limit: DialLimit; readonly until: number } | null {
    const { ends } = this.today
    const stops: Array<{ readonly limit: DialLimit; readonly until: number }> = []
    if (this.today.left <= negligible) stops.push({ limit: "daily_cap", until: ends })
    const scarcest = this.money?.scarcest() ?? null
    if (scarcest !== null && scarcest.calls <= negligible) {
      this.spendCap = scarcest.cap
      stops.push({ limit: "spend_cap", until: scarcest.cap === "max_spend" || this.neverFits() ? Infinity : ends })
    }
    if (this.numbers.left(this.at) <= negligible) {
      stops.push({ limit: "caller_number", until: this.numbers.resumesAt(this.at, ends) })
    }
    return stops.reduce<(typeof stops)[number] | null>(
      (longest, stop) => (longest === null || stop.until > longest.until ? stop : longest),
      null,
    )
  }

  /** Whether the money of a whole day does not suffice for one call: it costs more, or a price is missing. */
  private neverFits(): boolean {
    const { caps = [], reserved = 0 } = this.facts.money ?? {}
    return caps.some(({ cap, limit }) => cap === "daily_spend_cap" && limit < reserved)
  }

  private beginDay(): void {
    const { calls_per_day, time_zone } = this.facts.account
    this.today = { ends: nextDay(time_zone, this.at), left: calls_per_day }
    this.numbers.beginDay()
    this.money?.beginDay()
  }

  /** Begins at most this many calls, taken from each group in proportion to its remaining contacts. */
  private dial(open: ReadonlyArray<Group>, calls: number, isPaced: boolean): void {
    const left = open.reduce((sum, group) => sum + group.left, 0)
    const begun = Math.min(calls, left, this.callsLeft())
    for (const group of open) group.left *= 1 - begun / left
    this.today.left -= begun
    this.numbers.begin(begun, this.at, isPaced)
    this.money?.begin(begun)
  }

  private passUntil(until: number, limit: DialLimit): void {
    this.wait(limit, until - this.at, until)
    this.at = until
  }

  /** Skips whole weeks in which `aWeek` calls begin each. The last week is walked, not skipped. */
  private skipWeeks(left: number, aWeek: number): void {
    const weeks = Math.min(Math.floor(left / Math.max(aWeek, negligible)) - 1, Math.ceil(longest / week))
    if (weeks < 1) return
    for (const group of this.groups) group.left *= Math.max(0, 1 - (weeks * aWeek) / left)
    this.at += weeks * week
    this.today = { ends: nextDay(this.facts.account.time_zone, this.at), left: this.today.left }
    this.money?.beginOnOtherDays(weeks * aWeek)
  }

  private *openingsOf(groups: ReadonlyArray<Group>, at: number): Generator<void, ReadonlyArray<number | null>> {
    const openings: Array<number | null> = []
    for (const group of groups) {
      openings.push(this.opensAt(group, at))
      yield
    }
    return openings
  }

  /** `at` itself if the group is open then; null if it never opens. */
  private opensAt({ zones }: Group, at: number): number | null {
    const { window } = this.facts
    if (window === null) return at
    const found = verdict(window, zones, new Date(Math.ceil(at)))
    return found._tag === "Open" ? at : found._tag === "OpensAt" ? found.at.getTime() : null
  }

  private closesAt({ zones }: Group): number {
    const { window } = this.facts
    return window === null ? Infinity : findClosing(window, zones, Math.ceil(this.at))
  }
}

/** The calls per second that the limits of the campaign and the account permit, and how many calls begin at once. */
const paceOf = (
  { account, attempt, ...facts }: ForecastFacts,
  numbers: ForecastNumbers,
  money: ForecastMoney | null,
  at: number,
) => {
  const slots = Math.min(facts.max_concurrent_calls, account.concurrent_max)
  const byMoney = money?.slots() ?? Infinity
  const byMinute = Math.min(account.calls_per_minute, facts.max_calls_per_minute ?? Infinity)
  const perSlot = 1 / Math.max(attempt.seconds, 0.001)
  const free = (count: number) => Math.max(0, count - facts.contacts.in_call)
  const limits: ReadonlyArray<{ readonly limit: DialLimit; readonly perSecond: number; readonly burst: number }> = [
    {
      limit: slots < facts.max_concurrent_calls ? "concurrent_cap" : "slots",
      perSecond: slots * perSlot,
      burst: free(slots),
    },
    { limit: "per_minute_cap", perSecond: byMinute / 60, burst: Math.max(0, byMinute - facts.last_minute) },
    { limit: "number_pace", perSecond: numbers.perSecond(at), burst: numbers.burst(at) },
    { limit: "spend_cap", perSecond: byMoney * perSlot, burst: free(byMoney) },
  ]
  const slowest = limits.reduce((slowest, next) => (next.perSecond < slowest.perSecond ? next : slowest))
  const isPaced = slowest.limit === "number_pace"
  return { ...slowest, burst: Math.min(...limits.map(({ burst }) => burst)), isPaced, slots }
}
