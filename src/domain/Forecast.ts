/**
 * When a campaign will be done, and which limit decides it: the forecast of the event stream. It applies the rules of a
 * preflight to counts instead of single calls, so it can be made for every snapshot. Without a calling window it costs
 * microseconds. With one, and contacts in sixty sets of time zones, it costs 100 ms when the clocks of these zones are
 * read for the first time, and some 5 ms later.
 */
import { Schema } from "effect"
import { type CallingWindow, findClosing, verdict } from "./CallingWindow.ts"
import { WaitingFor } from "./Campaign.ts"
import { groupOf, spacingSeconds } from "./NumberPace.ts"
import { Timestamp } from "./Timestamp.ts"
import { day, nextDay } from "./ZoneClock.ts"

/**
 * What may keep a campaign from dialling faster. In addition to the reasons of `waiting_for`: `slots`, its own
 * max_concurrent_calls, and `number_pace`, the calls per second of its phone number.
 */
export const DialLimit = Schema.Literals([...WaitingFor.literals, "slots", "number_pace"])
export type DialLimit = typeof DialLimit.Type

export const Forecast = Schema.Struct({
  seconds: Schema.NullOr(Schema.Int).annotate({
    description: "Seconds until the last contact is finished. Null if that takes more than 366 days.",
  }),
  ends_at: Schema.NullOr(Timestamp).annotate({
    description: "When the last contact is finished. Null if that takes more than 366 days.",
  }),
  limited_by: Schema.NullOr(DialLimit).annotate({
    description:
      "The limit that costs the most time, such as `slots`, `per_minute_cap`, `daily_cap`, `calling_window` or `retry_delay`. Null if no limit costs time.",
  }),
  basis: Schema.Literals(["observed", "assumed"]).annotate({
    description:
      "`observed`: based on the duration of this campaign's own calls and the share that was retried. `assumed`: based on the default assumptions of a preflight, because fewer than 10 calls have ended.",
  }),
}).annotate({
  identifier: "Forecast",
  description:
    "When the campaign will end. A snapshot counts from `at`, the report of a preflight from `starting_at`. The forecast considers the campaign's slots, the remaining caps of the account (shared by slots when other campaigns run), its calling window, the call rate of its phone number and its retries, by the same rules as a preflight. A draft is forecast from its `scheduled_at`, or as if it started now; a paused campaign as if it were resumed now.",
})
export type Forecast = typeof Forecast.Type

export interface ForecastFacts {
  /** When dialling begins or resumes, in milliseconds since 1970. */
  readonly from: number
  readonly contacts: { readonly fresh: number; readonly retrying: number; readonly in_call: number }
  /** When the last contact that waits for its retry is due, in milliseconds since 1970; null if none waits. */
  readonly last_retry_at: number | null
  /** When the last callback that waits is due, in milliseconds since 1970; null if none waits. */
  readonly last_callback_at: number | null
  /** How the waiting contacts are spread over sets of time zones; the shares add up to 1. Needed only with a window. */
  readonly zones: ReadonlyArray<{ readonly share: number; readonly zones: ReadonlyArray<string> }>
  readonly window: CallingWindow | null
  readonly max_concurrent_calls: number
  readonly max_calls_per_minute: number | null
  readonly retries_per_contact: number
  readonly retry_delay_seconds: number
  /** The pace of the phone number. */
  readonly calls_per_second: number | null
  readonly account: {
    readonly concurrent_max: number
    readonly calls_per_minute: number
    readonly calls_per_day: number
    readonly time_zone: string
  }
  readonly calls_today: number
  /** The account's calls begun in the last minute. */
  readonly last_minute: number
  /** The average time for which an attempt holds its slot, and the share of attempts that are retried. */
  readonly attempt: { readonly seconds: number; readonly retried: number }
}

/** When the last contact is settled, in milliseconds since 1970; null if that is not within 366 days. */
export interface ForecastEnd {
  readonly ends_at: number | null
  readonly limited_by: DialLimit | null
}

/** The horizon of the forecast, which is also that of a preflight. */
const longest = 366 * day
/** After this time, each week is assumed to be like the one before: caps and windows repeat weekly. */
const walked = 14 * day
const week = 7 * day
/** Counts below this count as zero: expected values have fractions. */
const negligible = 1e-6

/** Yields after each reading of a set of time zones, which takes 20 ms at most, so that the caller can rest in between. */
export function* forecast(facts: ForecastFacts): Generator<void, ForecastEnd> {
  const attempts = attemptsLeft(facts)
  const dialling = new DialledTime(facts, attempts)
  const dialled = yield* dialling.run()
  if (dialled === null) return { ends_at: null, limited_by: dialling.longestWait() }
  const retried = Math.max(dialled, attempts > negligible ? (facts.last_retry_at ?? 0) : 0)
  dialling.wait("retry_delay", retried - dialled)
  const begun = Math.max(retried, attempts > negligible ? (facts.last_callback_at ?? 0) : 0)
  dialling.wait("callback", begun - retried)
  const delays = lastRetries(facts, dialling.perMillisecond) * facts.retry_delay_seconds * 1_000
  dialling.wait("retry_delay", delays)
  const last = attempts > negligible ? yield* dialling.nextOpening(begun + delays) : begun
  const isBusy = attempts > negligible || facts.contacts.in_call > 0
  const ends_at = Math.round(last + (isBusy ? facts.attempt.seconds * 1_000 : 0))
  return { ends_at: ends_at - facts.from > longest ? null : ends_at, limited_by: dialling.longestWait() }
}

/** The expected number of attempts for a contact that may have up to `budget` of them. */
const expectedAttempts = (budget: number, retried: number): number => {
  if (budget <= 0) return 0
  return retried >= 1 ? budget : (1 - retried ** budget) / (1 - retried)
}

/**
 * The expected number of calls that have still to begin. The number of attempts that a retrying contact has made is
 * unknown; one is assumed.
 */
const attemptsLeft = ({ attempt, contacts, retries_per_contact }: ForecastFacts): number => {
  const again = expectedAttempts(retries_per_contact, attempt.retried)
  return (
    contacts.fresh * expectedAttempts(1 + retries_per_contact, attempt.retried) +
    contacts.retrying * Math.max(1, again) +
    contacts.in_call * attempt.retried * again
  )
}

/**
 * The number of consecutive retry delays after the last first attempt. Counting stops when fewer than half a contact is
 * expected to remain, or when the retries are used up.
 */
const lastRetries = (
  { attempt, contacts, retries_per_contact, retry_delay_seconds }: ForecastFacts,
  perMillisecond: number,
): number => {
  let left = Math.min(contacts.fresh + contacts.in_call, Math.max(1, perMillisecond * retry_delay_seconds * 1_000))
  let delays = 0
  for (left *= attempt.retried; delays < retries_per_contact && left >= 0.5; left *= attempt.retried) delays++
  return delays
}

interface Group {
  readonly zones: ReadonlyArray<string>
  left: number
}

/** Walks through the days. Calls begin at a constant pace while a window is open and the day has calls left. */
class DialledTime {
  readonly perMillisecond: number
  private readonly facts: ForecastFacts
  private readonly limit: DialLimit
  /** The groups whose window opens some day, once the run has begun. */
  private groups: ReadonlyArray<Group>
  private readonly waited = new Map<DialLimit, number>()
  /** The number of calls that may begin at the first open moment, before the pace applies. */
  private burst: number
  private at: number
  private today: { ends: number; left: number }

  constructor(facts: ForecastFacts, attempts: number) {
    this.facts = facts
    this.at = facts.from
    const { burst, limit, perSecond } = paceOf(facts)
    this.perMillisecond = perSecond / 1_000
    this.limit = limit
    this.burst = burst
    const { calls_per_day, time_zone } = facts.account
    this.today = { ends: nextDay(time_zone, this.at), left: Math.max(0, calls_per_day - facts.calls_today) }
    const groups = facts.window === null ? [{ share: 1, zones: [] }] : facts.zones
    this.groups = groups.map(({ share, zones }) => ({ zones, left: attempts * share }))
  }

  /** When the last call begins, in milliseconds since 1970; null if that is beyond the horizon. */
  *run(): Generator<void, number | null> {
    const openings = yield* this.openingsOf(this.groups, this.at)
    this.groups = this.groups.filter((_, index) => openings[index] !== null)
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

  wait(limit: DialLimit, milliseconds: number): void {
    if (milliseconds > 0) this.waited.set(limit, (this.waited.get(limit) ?? 0) + milliseconds)
  }

  longestWait(): DialLimit | null {
    const [first] = [...this.waited].sort(([, a], [, b]) => b - a)
    return first?.[0] ?? null
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
    this.dial(open, this.burst)
    this.burst = 0
    const left = open.reduce((sum, group) => sum + group.left, 0)
    if (left <= negligible) return
    if (this.today.left <= negligible) return this.passUntil(this.today.ends, "daily_cap")
    const until = Math.max(
      this.at + 1,
      Math.min(
        this.at + Math.min(left, this.today.left) / this.perMillisecond,
        this.today.ends,
        nextOpening,
        ...open.map((group) => this.closesAt(group)),
      ),
    )
    this.dial(open, (until - this.at) * this.perMillisecond)
    this.passUntil(until, this.limit)
  }

  private beginDay(): void {
    const { calls_per_day, time_zone } = this.facts.account
    this.today = { ends: nextDay(time_zone, this.at), left: calls_per_day }
  }

  /** Begins at most this many calls, taken from each group in proportion to its remaining contacts. */
  private dial(open: ReadonlyArray<Group>, calls: number): void {
    const left = open.reduce((sum, group) => sum + group.left, 0)
    const begun = Math.min(calls, left, this.today.left)
    for (const group of open) group.left *= 1 - begun / left
    this.today.left -= begun
  }

  private passUntil(until: number, limit: DialLimit): void {
    this.wait(limit, until - this.at)
    this.at = until
  }

  /** Skips whole weeks in which `aWeek` calls begin each. The last week is walked, not skipped. */
  private skipWeeks(left: number, aWeek: number): void {
    const weeks = Math.min(Math.floor(left / Math.max(aWeek, negligible)) - 1, Math.ceil(longest / week))
    if (weeks < 1) return
    for (const group of this.groups) group.left *= Math.max(0, 1 - (weeks * aWeek) / left)
    this.at += weeks * week
    this.today = { ends: nextDay(this.facts.account.time_zone, this.at), left: this.today.left }
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
const paceOf = ({ account, attempt, ...facts }: ForecastFacts) => {
  const slots = Math.min(facts.max_concurrent_calls, account.concurrent_max)
  const free = Math.max(0, slots - facts.contacts.in_call)
  const byMinute = Math.min(account.calls_per_minute, facts.max_calls_per_minute ?? Infinity)
  const rate = facts.calls_per_second
  const limits: ReadonlyArray<{ readonly limit: DialLimit; readonly perSecond: number; readonly burst: number }> = [
    {
      limit: slots < facts.max_concurrent_calls ? "concurrent_cap" : "slots",
      perSecond: slots / Math.max(attempt.seconds, 0.001),
      burst: free,
    },
    { limit: "per_minute_cap", perSecond: byMinute / 60, burst: Math.max(0, byMinute - facts.last_minute) },
    ...(rate === null
      ? []
      : [{ limit: "number_pace" as const, perSecond: groupOf(rate) / spacingSeconds(rate, groupOf(rate)), burst: 1 }]),
  ]
  const slowest = limits.reduce((slowest, next) => (next.perSecond < slowest.perSecond ? next : slowest))
  return { ...slowest, burst: Math.min(...limits.map(({ burst }) => burst)) }
}

interface SharedCaps {
  readonly calls_per_minute: number
  readonly calls_per_day: number
  readonly calls_today: number
}

/**
 * The part of the account's caps that a campaign gets while other campaigns run. Fair share distributes places in
 * proportion to slots (FairShare.ts), so the campaign's share of the caps is its share of the slots. The same share
 * applies to the remaining calls of today.
 */
export const shareOfCaps = (caps: SharedCaps, slots: number, slotsOfOthers: number): SharedCaps => {
  const share = (calls: number) => Math.max(1, Math.floor((calls * slots) / (slots + slotsOfOthers)))
  const left = caps.calls_per_day - caps.calls_today
  const calls_per_day = share(caps.calls_per_day)
  return {
    calls_per_minute: share(caps.calls_per_minute),
    calls_per_day,
    calls_today: left <= 0 ? calls_per_day : calls_per_day - share(left),
  }
}
