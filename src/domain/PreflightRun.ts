/**
 * A campaign in virtual time: the dialler's own rules applied to its real contacts, and calls that end as assumed. It
 * uses no clock and no database, and advances in small steps, so that its caller can yield to other work between them.
 */
import type { Outcome } from "./Call.ts"
import { type CallingWindow, zonesIn } from "./CallingWindow.ts"
import type { DialVerdict, PlaceRetry } from "./DialDecision.ts"
import { type Allowance, allowance, type PassFacts, plan } from "./DialPass.ts"
import type { DialLimit } from "./Forecast.ts"
import { MinHeap } from "./MinHeap.ts"
import { holds } from "./NumberPace.ts"
import type { Assumed, PreflightSkipped } from "./Preflight.ts"
import { PreflightCaps, type PreflightUse } from "./PreflightCaps.ts"
import { expectedCall } from "./PreflightChance.ts"
import { type PreflightContact, PreflightQueue, type Waiting } from "./PreflightQueue.ts"
import { PreflightRules, whyRefused } from "./PreflightRules.ts"
import { PreflightSpend, type SpendPlan } from "./PreflightSpend.ts"
import type { RetryByOutcome } from "./RetryByOutcome.ts"
import { PreflightTally } from "./PreflightTally.ts"
import type { AppliedRule, EarlierAttempt, Ruleset } from "./Rules.ts"
import { settlementOf } from "./Settlement.ts"
import { bestPartAt, type CallsByPart } from "./BestTimeOfDay.ts"
import { anotherPartAt, type RetryTimeOfDay } from "./TimeOfDay.ts"
import { day } from "./ZoneClock.ts"

/** The facts that do not change during the run. */
export interface PreflightPlan extends PreflightUse, Pick<SpendPlan, "spend"> {
  readonly max_concurrent_calls: number
  readonly retries_per_contact: number
  readonly retry_delay_seconds: number
  readonly retry_by_outcome: RetryByOutcome | null
  readonly redial_unknown: boolean
  readonly agent: { readonly max_call_seconds: number; readonly voicemail_action: "hang_up" | "leave_message" }
  readonly window: CallingWindow | null
  /** The campaign's rule packs, and the number that calls come from. */
  readonly rules: Pick<Ruleset, "packs" | "from_number">
  readonly requires_consent: boolean
  readonly quiet_after_answer_seconds: number | null
  readonly retry_time_of_day: RetryTimeOfDay | null
  /** The account's calls by part of the day, if the campaign chooses the best part. */
  readonly calls_by_part: CallsByPart
  readonly assumed: Assumed
}

interface LiveCall {
  readonly ends: number
  readonly contact: Waiting
  readonly outcome: Outcome
}

/** The horizon of the simulation. */
const longest = 366 * day
/** The campaign's id in the run, which knows only this campaign. */
const own = "own"

const details = {
  do_not_call: "The number is on the do-not-call list.",
  no_consent: "The number has no consent as the campaign requires it.",
}

export class PreflightRun {
  now: number
  readonly tally = new PreflightTally()
  readonly spend: PreflightSpend
  private readonly plan: PreflightPlan
  private readonly caps: PreflightCaps
  private readonly queue = new PreflightQueue()
  private readonly live = new MinHeap<LiveCall>((a, b) => a.ends < b.ends)
  private readonly numbersInCall = new Set<string>()
  private readonly rules: PreflightRules
  /** The end of the quiet period of each number that answered a simulated call. */
  private readonly quiet = new Map<string, Date>()
  /** The contact of a number that waits for the end of its quiet period; the others are behind it, as behind a call. */
  private readonly waitsQuiet = new Map<string, Waiting>()

  constructor(plan: PreflightPlan) {
    this.plan = plan
    this.rules = new PreflightRules(plan, this.tally)
    this.now = plan.starting_at
    this.caps = new PreflightCaps(plan)
    this.spend = new PreflightSpend(plan)
  }

  /**
   * Adds a contact. The caller adds contacts in file order, before the first step. A contact in a call is assumed to
   * have just begun it.
   */
  add(facts: PreflightContact, isInCall: boolean, earlier: ReadonlyArray<EarlierAttempt> = []): void {
    this.tally.considered++
    this.rules.add(facts, earlier)
    const contact: Waiting = {
      ...facts,
      ended: {},
      suppressed: false,
      lacks_consent: false,
      fresh: facts.attempts === 0 && facts.due_at === null,
    }
    if (isInCall) this.call(contact)
    else this.queue.arrive(contact)
  }

  /** Simulates about this many contacts and calls. Returns whether the run is complete. */
  advance(steps: number): boolean {
    const last = this.plan.starting_at + longest
    for (let left = steps; left > 0;) {
      const ended = this.endCalls()
      const { looked, next, reason } = this.pass()
      left -= ended + looked + 1
      if (next === null) return true
      // A pass that looked at no contact is not repeated at the same moment.
      const until = Math.min(looked === 0 ? Math.max(next, this.now + 1) : next, last)
      this.tally.pass(until - this.now, this.live.size, reason)
      this.now = until
      if (until === last) return true
    }
    return false
  }

  /**
   * One pass of the dialler. Returns how many contacts it looked at, when the next is due, and what the campaign waits
   * for.
   */
  private pass() {
    const { caps, live, now, queue } = this
    const facts = this.facts()
    const held_ms = caps.numbersHeldMs(now)
    const permitted = allowance(facts)
    const allowed: Allowance =
      held_ms === 0 ? permitted : { ...permitted, own: { calls: 0, stopped_by: "caller_number" } }
    const { decided, dialled, next_ms, quiet, waiting_for } = plan(facts, allowed, {
      candidates: this.markQuiet(queue.takeDue(allowed.contacts, now)),
      hasMore: () => queue.dueAt() <= now,
      upcoming: () => queue.upcoming(),
      zonesOf: ({ zones }) => zones,
      anotherPart: this.placeRetries(now),
      rules: this.rules.judgeAt(now),
      inCall: (number) => this.numbersInCall.has(number),
    })
    for (const { contact, verdict } of decided) this.follow(contact, verdict)
    caps.begin(dialled.length, now)
    this.tally.begin(dialled.length, now)

    const isPaced = !quiet && dialled.length < allowed.own.calls && holds(facts.numberPace, dialled.length)
    // A pass that dialled is repeated at once, to learn the limits that hold after it.
    const times = [
      !quiet && dialled.length > 0 ? now : null,
      next_ms === null ? null : now + next_ms,
      !quiet && held_ms > 0 ? now + held_ms : null,
      live.peek()?.ends ?? null,
    ].filter((time) => time !== null)
    return {
      looked: decided.length,
      next: times.length === 0 ? null : Math.min(...times),
      reason: waiting_for ?? this.lack(!quiet, isPaced),
    }
  }

  private placeRetries(now: number): PlaceRetry<Waiting> | undefined {
    const { calls_by_part, retry_time_of_day, window } = this.plan
    if (retry_time_of_day === null) return undefined
    if (retry_time_of_day === "rotate") {
      const anotherPart = anotherPartAt(window, new Date(now))
      return ({ began = [], zones }) => anotherPart({ attempts: began, zones })
    }
    // Of the number's own calls only the simulated attempts are known, and no contact is retried that answered.
    const bestPart = bestPartAt(window, calls_by_part, new Date(now))
    const pastOf = (began: ReadonlyArray<number>) => began.map((at) => ({ at, answered: false }))
    return ({ began = [], zones }) => bestPart({ attempts: began, past: pastOf(began), zones })?.put ?? null
  }

  private *markQuiet(contacts: Iterable<Waiting>): Generator<Waiting> {
    for (const contact of contacts) {
      contact.quiet_until = this.quiet.get(contact.phone_number) ?? contact.quiet_until
      yield contact
    }
  }

  /** The campaign is treated as the only one, because the plan's caps already exclude the share of the others. */
  private facts(): PassFacts {
    const { caps, live, now, plan } = this
    const minute = caps.ownMinute(now)
    const { max_concurrent_calls: weight } = plan
    return {
      id: own,
      pace: { ...plan, active_calls: live.size, last_minute: minute.used },
      minute_frees_in_ms: minute.frees_at === null ? null : minute.frees_at - now,
      usage: caps.usage(live.size, now),
      numberPace: caps.numberPace(now),
      room: Infinity,
      standings: [
        { id: own, phone_number_id: own, weight, wants: 0, wants_of_number: 0, next_round: 0, last_round: 0 },
      ],
      window: plan.window,
      has_rules: plan.rules.packs.length > 0,
      puts_off: plan.quiet_after_answer_seconds !== null || plan.retry_time_of_day !== null,
      requires_consent: plan.requires_consent,
      waiting_for: null,
      now: new Date(now),
    }
  }

  /**
   * The limit, if it is one that the dialler never reports as a wait: the pace of the number, or the campaign's own
   * slots.
   */
  private lack(due: boolean, isPaced: boolean): DialLimit | null {
    if (isPaced) return "number_pace"
    return due && this.live.size >= this.plan.max_concurrent_calls ? "slots" : null
  }

  private follow(contact: Waiting, verdict: DialVerdict): void {
    const { phone_number } = contact
    const first = this.waitsQuiet.get(phone_number) ?? contact
    contact.fresh = false
    if (verdict._tag !== "Wait" || verdict.reason !== "quiet_period") this.waitsQuiet.delete(phone_number)
    if (verdict._tag === "Dial") {
      contact.attempts++
      this.spend.begin(phone_number, this.now)
      this.call(contact)
    } else if (verdict._tag === "Skip") {
      if (verdict.reason !== "stopped") this.skip(contact, verdict.reason, verdict.rule)
      this.releaseNext(contact)
    } else if (verdict.until === null) {
      this.queue.putBehind(contact)
    } else {
      contact.due_at = verdict.until
      contact.waits_for = verdict.reason
      if (verdict.rule !== undefined) this.tally.refuse(verdict.rule, contact.position, "put_off")
      if (verdict.reason === "quiet_period") return this.keepQuiet(contact, first)
      this.queue.put(contact)
      this.releaseNext(contact)
    }
  }

  private keepQuiet(contact: Waiting, first: Waiting): void {
    this.tally.quiet.add(contact.position)
    this.waitsQuiet.set(contact.phone_number, first)
    if (contact === first) this.queue.put(contact)
    else this.queue.putBehind(contact)
  }

  /** The contact was not called, so another one with its number may be, unless the number is in a call. */
  private releaseNext({ phone_number }: Waiting): void {
    if (!this.numbersInCall.has(phone_number)) this.queue.release(phone_number)
  }

  private call(contact: Waiting): void {
    const { milliseconds, outcome } = expectedCall(this.plan.assumed, this.plan.agent.max_call_seconds, contact)
    contact.due_at = null
    contact.waits_for = null
    if (this.plan.retry_time_of_day !== null) contact.began = [...(contact.began ?? []), this.now]
    this.rules.begin(contact.phone_number, this.now)
    this.numbersInCall.add(contact.phone_number)
    this.live.push({ ends: this.now + milliseconds, contact, outcome })
  }

  private endCalls(): number {
    let ended = 0
    for (let call = this.live.peek(); call !== undefined && call.ends <= this.now; call = this.live.peek()) {
      this.live.pop()
      this.settle(call)
      ended++
    }
    return ended
  }

  private settle({ contact, ends, outcome }: LiveCall): void {
    const leavesMessage = this.plan.agent.voicemail_action === "leave_message"
    const accepted = outcome === "answered" || (outcome === "voicemail" && leavesMessage)
    const { attempts: attempt_number, callbacks } = contact
    const same_outcome = (contact.ended[outcome] ?? 0) + 1
    contact.ended[outcome] = same_outcome
    const ended_at = new Date(ends)
    const end = { outcome, accepted, attempt_number, same_outcome, ended_at, callback_at: null, callbacks }
    const settlement = settlementOf(end, { ...this.plan, status: "running" })
    this.tally.end(outcome)
    const { quiet_after_answer_seconds: quiet } = this.plan
    if (outcome === "answered" && quiet !== null) this.quiet.set(contact.phone_number, new Date(ends + quiet * 1_000))
    this.numbersInCall.delete(contact.phone_number)
    this.queue.release(contact.phone_number)
    if (settlement.status === "completed") this.tally.completed++
    else if (settlement.status === "failed") this.tally.failed++
    else if (settlement.status === "pending") {
      contact.due_at = settlement.due_at
      contact.waits_for = settlement.waits_for
      this.queue.put(contact)
    }
  }

  private skip(contact: Waiting, reason: PreflightSkipped["reason"], rule?: AppliedRule): void {
    const { id: contact_id, phone_number, position } = contact
    if (rule !== undefined) this.tally.refuse(rule, position, "skipped")
    const fixed = reason === "do_not_call" || reason === "no_consent" ? details[reason] : this.whyNever(contact)
    const detail = rule === undefined ? fixed : whyRefused(rule, contact)
    this.tally.skip({ contact_id, position, phone_number, reason, detail })
  }

  private whyNever({ zones }: Waiting): string {
    const said = this.plan.window === null ? [] : zonesIn(this.plan.window, () => zones)
    return said.length === 0
      ? "The time zone of the number is unknown."
      : `It may be in any of ${said.join(", ")}, and the window is never open in all of them at once.`
  }
}
