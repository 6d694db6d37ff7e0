/**
 * A campaign in virtual time: the dialler's own rules applied to its real contacts, and calls that end as assumed. It
 * uses no clock and no database, and advances in small steps, so that its caller can yield to other work between them.
 */
import { linesOf } from "./AdditionalNumbers.ts"
import type { Outcome } from "./Call.ts"
import type { CallingWindow } from "./CallingWindow.ts"
import type { DialVerdict } from "./DialDecision.ts"
import { type Allowance, allowance, type PassFacts, plan } from "./DialPass.ts"
import type { DialLimit } from "./Forecast.ts"
import { MinHeap } from "./MinHeap.ts"
import { holds } from "./NumberPace.ts"
import type { Assumed, PreflightSkipped } from "./Preflight.ts"
import { PreflightCaps, type PreflightUse } from "./PreflightCaps.ts"
import { expectedCall } from "./PreflightChance.ts"
import { type PreflightContact, PreflightQueue, type Waiting } from "./PreflightQueue.ts"
import { type Held, PreflightMoney, withoutMoney } from "./PreflightMoney.ts"
import { existingOf, Households, inTurn, type PreflightPerson, stateOf } from "./PreflightPerson.ts"
import { placeRetries } from "./PreflightRetries.ts"
import { type EarlierByNumber, PreflightRules } from "./PreflightRules.ts"
import { skippedBecause } from "./PreflightSkips.ts"
import { PreflightSpend, type SpendPlan } from "./PreflightSpend.ts"
import type { RetryByOutcome } from "./RetryByOutcome.ts"
import { PreflightTally } from "./PreflightTally.ts"
import type { AppliedRule, Ruleset } from "./Rules.ts"
import { settlementOf } from "./Settlement.ts"
import type { CallsByPart } from "./BestTimeOfDay.ts"
import type { RetryTimeOfDay } from "./TimeOfDay.ts"
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
  /** Whether the campaign waits for its caps on spending. Otherwise it only counts against them. */
  readonly waits_for_money: boolean
}

interface LiveCall {
  readonly ends: number
  readonly contact: Waiting
  readonly number: string
  readonly outcome: Outcome
  readonly talked_ms: number
  readonly held: Held | undefined
}

/** The horizon of the simulation. */
const longest = 366 * day
/** The campaign's id in the run, which knows only this campaign. */
const own = "own"

const noAttempts: EarlierByNumber = new Map()

export class PreflightRun {
  now: number
  readonly tally = new PreflightTally()
  readonly spend: PreflightSpend
  readonly money: PreflightMoney | null
  private readonly plan: PreflightPlan
  private readonly caps: PreflightCaps
  private readonly queue = new PreflightQueue()
  private readonly live = new MinHeap<LiveCall>((a, b) => a.ends < b.ends)
  /** All numbers of the people in calls. */
  private readonly numbersInCall = new Set<string>()
  private readonly households = new Households()
  /** The candidates of a pass that have several numbers, with each of the other ones. */
  private readonly others = new Map<Waiting, ReadonlyArray<Waiting>>()
  private readonly rules: PreflightRules
  /** The end of the quiet period of each number that answered a simulated call. */
  private readonly quiet = new Map<string, Date>()
  /** The contact of a household that waits for the end of a quiet period; the others are behind it, as behind a call. */
  private readonly waitsQuiet = new Map<string, Waiting>()

  constructor(plan: PreflightPlan) {
    this.plan = plan
    this.rules = new PreflightRules(plan, this.tally)
    this.now = plan.starting_at
    this.caps = new PreflightCaps(plan)
    this.spend = new PreflightSpend(plan)
    this.money = plan.waits_for_money && plan.spend.caps.length > 0 ? new PreflightMoney(plan) : null
  }

  /**
   * Adds a contact. The caller adds contacts in file order, before the first step. A contact in a call is assumed to
   * have just begun it.
   */
  add({ person, ...facts }: PreflightContact, isInCall: boolean, earlier: EarlierByNumber = noAttempts): void {
    this.tally.considered++
    this.rules.add({ ...facts, person }, earlier)
    const contact: Waiting = {
      ...facts,
      ended: {},
      suppressed: false,
      lacks_consent: false,
      fresh: facts.attempts === 0 && facts.due_at === null,
      due_for_callback: facts.waits_for === "callback",
    }
    const own = person === undefined ? contact : { ...contact, ...this.meet(person) }
    // What such a call has reserved is part of what the caps count at the start.
    if (isInCall) this.call(own, person?.last ?? facts.phone_number, this.money?.priceOf(existingOf(own), this.now))
    else this.queue.arrive(own)
  }

  private meet(person: PreflightPerson) {
    const lines = person.numbers.map(({ phone_number }) => phone_number)
    this.households.join(lines)
    return { lines, person: stateOf(person) }
  }

  /** Simulates about this many contacts and calls. Returns whether the run is complete. */
  advance(steps: number): boolean {
    const last = this.plan.starting_at + longest
    for (let left = steps; left > 0;) {
      const ended = this.endCalls()
      const { looked, next, reason } = this.pass()
      left -= ended + looked + 1
      if (next === null) {
        if (reason === "spend_cap") this.tally.waitForEver(reason)
        return true
      }
      // A pass that looked at no contact is not repeated at the same moment.
      const until = Math.min(looked === 0 ? Math.max(next, this.now + 1) : next, last)
      this.tally.pass(this.now, until, this.live.size, reason)
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
    const byNumbers: Allowance =
      held_ms === 0 ? permitted : { ...permitted, own: { calls: 0, stopped_by: "caller_number" } }
    const affordable = this.money?.limit(byNumbers, queue, now)
    const { allowed, contacts, fills_at } = affordable ?? withoutMoney(byNumbers, queue, now)
    const { decided, dialled, next_ms, quiet, waiting_for } = plan(facts, allowed, {
      candidates: this.inTurn(contacts),
      othersOf: (contact) => this.others.get(contact) ?? [],
      hasMore: () => queue.dueAt() <= now,
      upcoming: () => queue.upcoming(),
      zonesOf: ({ zones }) => zones,
      anotherPart: placeRetries(this.plan, now),
      rules: this.rules.judgeAt(now),
      inCall: (number) => this.numbersInCall.has(number),
    })
    for (const { contact, verdict } of decided) this.follow(contact, verdict)
    this.others.clear()
    caps.begin(dialled.length, now)
    this.tally.begin(dialled.length, now)

    const isPaced = !quiet && dialled.length < allowed.own.calls && holds(facts.numberPace, dialled.length)
    const isUnpaid = fills_at !== undefined && dialled.length === 0
    // A pass that dialled is repeated at once, to learn the limits that hold after it.
    const times = [
      !quiet && dialled.length > 0 ? now : null,
      isUnpaid ? fills_at : next_ms === null ? null : now + next_ms,
      !quiet && held_ms > 0 ? now + held_ms : null,
      live.peek()?.ends ?? null,
    ].filter((time) => time !== null)
    return {
      looked: decided.length,
      next: times.length === 0 ? null : Math.min(...times),
      reason: waiting_for ?? this.lack(!quiet, isPaced),
    }
  }

  private *inTurn(contacts: Iterable<Waiting>): Generator<Waiting> {
    for (const contact of contacts) {
      contact.quiet_until = this.quietUntil(contact) ?? contact.quiet_until
      const [first = contact, ...others] = inTurn(contact, this.now)
      if (others.length > 0) this.others.set(first, others)
      yield first
    }
  }

  /** The end of the quiet period after the last simulated call to a number of the person. */
  private quietUntil(contact: Waiting): Date | null {
    let until: Date | null = null
    for (const line of linesOf(contact)) {
      const own = this.quiet.get(line)
      if (own !== undefined && (until === null || own > until)) until = own
    }
    return until
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

  /** `looked` is the contact, perhaps with another one of its numbers. */
  private follow(looked: Waiting, verdict: DialVerdict): void {
    const contact = looked.of ?? looked
    const household = this.households.of(contact.phone_number)
    const first = this.waitsQuiet.get(household) ?? contact
    contact.fresh = false
    if (verdict._tag !== "Wait" || verdict.reason !== "quiet_period") this.waitsQuiet.delete(household)
    if (verdict._tag === "Dial") {
      contact.attempts++
      this.spend.begin(existingOf(contact), this.now)
      this.call(contact, looked.phone_number, this.money?.reserve(existingOf(contact), this.now))
    } else if (verdict._tag === "Skip") {
      if (verdict.reason !== "stopped") this.skip(looked, verdict.reason, verdict.rule)
      this.releaseNext(contact)
    } else if (verdict.until === null) {
      this.queue.putBehind(contact, household)
    } else {
      contact.due_at = verdict.until
      contact.waits_for = verdict.reason
      if (verdict.rule !== undefined) this.tally.refuse(verdict.rule, contact.position, "put_off")
      if (verdict.reason === "quiet_period") return this.keepQuiet(contact, first, household)
      this.queue.put(contact)
      this.releaseNext(contact)
    }
  }

  private keepQuiet(contact: Waiting, first: Waiting, household: string): void {
    this.tally.quiet.add(contact.position)
    this.waitsQuiet.set(household, first)
    if (contact === first) this.queue.put(contact)
    else this.queue.putBehind(contact, household)
  }

  /** The contact was not called, so another one of its household may be, unless one of its numbers is in a call. */
  private releaseNext(contact: Waiting): void {
    const isBusy = linesOf(contact).some((line) => this.numbersInCall.has(line))
    if (!isBusy) this.queue.release(this.households.of(contact.phone_number))
  }

  private call(contact: Waiting, number: string, held: Held | undefined): void {
    const { assumed, agent } = this.plan
    const { milliseconds, ...result } = expectedCall(assumed, agent.max_call_seconds, contact)
    contact.due_at = null
    contact.waits_for = null
    contact.due_for_callback = false
    if (contact.person !== undefined) contact.person.last = number
    if (this.plan.retry_time_of_day !== null) contact.began = [...(contact.began ?? []), this.now]
    this.rules.begin(number, this.now)
    for (const line of linesOf(contact)) this.numbersInCall.add(line)
    this.live.push({ ends: this.now + milliseconds, contact, number, held, ...result })
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

  private settle({ contact, ends, held, number, outcome, talked_ms }: LiveCall): void {
    if (held !== undefined) this.money?.settle(held, number, talked_ms, ends)
    const leavesMessage = this.plan.agent.voicemail_action === "leave_message"
    const accepted = outcome === "answered" || (outcome === "voicemail" && leavesMessage)
    const { attempts: attempt_number, callbacks } = contact
    const same_outcome = (contact.ended[outcome] ?? 0) + 1
    contact.ended[outcome] = same_outcome
    const ended_at = new Date(ends)
    if (outcome === "invalid_number") contact.person?.invalid.add(number)
    const has_other_number = contact.person !== undefined && existingOf(contact).length > 0
    const attempt = { outcome, accepted, attempt_number, same_outcome, ended_at }
    const end = { ...attempt, callback_at: null, callbacks, has_other_number }
    const settlement = settlementOf(end, { ...this.plan, status: "running" })
    this.tally.end(outcome)
    const { quiet_after_answer_seconds: quiet } = this.plan
    if (outcome === "answered" && quiet !== null) this.quiet.set(number, new Date(ends + quiet * 1_000))
    for (const line of linesOf(contact)) this.numbersInCall.delete(line)
    this.queue.release(this.households.of(contact.phone_number))
    if (settlement.status === "completed") this.tally.completed++
    else if (settlement.status === "failed") this.tally.failed++
    else if (settlement.status === "pending") {
      contact.due_at = settlement.due_at
      contact.waits_for = settlement.waits_for
      this.queue.put(contact)
    }
  }

  private skip(contact: Waiting, reason: PreflightSkipped["reason"], rule?: AppliedRule): void {
    if (rule !== undefined) this.tally.refuse(rule, contact.position, "skipped")
    this.tally.skip(skippedBecause(contact, reason, rule, this.plan.window))
  }
}
