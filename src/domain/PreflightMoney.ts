/**
 * A simulated campaign that waits for money as the dialler does: a call begins only if the most that it may cost fits
 * into what is left of each cap, and its end replaces that reservation by a cost (decisions 0079 and 0083). Pure.
 */
import { dearestOf } from "./Dearest.ts"
import type { Allowance } from "./DialPass.ts"
import { existingOf } from "./PreflightPerson.ts"
import type { PreflightQueue, Waiting } from "./PreflightQueue.ts"
import type { SpendPlan } from "./PreflightSpend.ts"
import type { SpendCap } from "./SpendCap.ts"
import { nextDay } from "./ZoneClock.ts"

interface Counted {
  readonly cap: SpendCap
  readonly limit: number
  /** What is spent or reserved. */
  used: number
}

/** What a call in progress holds. */
export interface Held {
  readonly most: number
  /** The end of the account's day on which the call began. */
  readonly dayEnds: number
}

/** What a pass may still pay for. */
interface Affordable {
  readonly allowed: Allowance
  readonly contacts: Iterable<Waiting>
  /**
   * When more money is left, if it suffices for no call: null if no time is known. Undefined if money stops no call.
   */
  readonly fills_at: number | null | undefined
}

/** A pass of a campaign that waits for no cap on spending. */
export const withoutMoney = (allowed: Allowance, queue: PreflightQueue, now: number): Affordable => ({
  allowed,
  contacts: queue.takeDue(allowed.contacts, now),
  fills_at: undefined,
})

function* chain<A>(...parts: ReadonlyArray<Iterable<A>>): Generator<A> {
  for (const part of parts) yield* part
}

export class PreflightMoney {
  private readonly plan: SpendPlan
  private readonly caps: ReadonlyArray<Counted>
  private dayEnds: number
  /** Whether money did not suffice for a contact of the last pass. */
  private isShort = false
  /** The cap that stopped the last pass. */
  stopped_by: SpendCap | null = null

  constructor(plan: SpendPlan) {
    this.plan = plan
    this.caps = plan.spend.caps.map(({ cap, limit, reserved, spent }) => ({ cap, limit, used: spent + reserved }))
    this.dayEnds = nextDay(plan.account.time_zone, plan.starting_at)
  }

  /**
   * Leaves the contacts from the front of the queue whose calls together fit into what is left, as `DialSpend` limits a
   * pass.
   */
  limit(allowed: Allowance, queue: PreflightQueue, now: number): Affordable {
    if (allowed.calls === 0) return withoutMoney(allowed, queue, now)
    this.beginDayAt(now)
    this.stopped_by = null
    const { cap, left } = this.scarcest()
    const paid = this.take(queue, allowed.contacts, left, now)
    const first: Array<Waiting> = []
    // The pass looks at all of these, and at others only if it does not dial all of these.
    for (let next = paid.next(); next.done !== true; next = paid.next()) {
      first.push(next.value)
      if (first.length === allowed.calls) return { allowed, contacts: chain(first, paid), fills_at: undefined }
    }
    // Set by `take`, unless no further contact was due.
    if (!this.isShort) return { allowed, contacts: first, fills_at: undefined }
    this.stopped_by = cap
    const calls = first.length
    const fills_at = calls > 0 ? undefined : cap === "daily_spend_cap" ? this.dayEnds : null
    return { allowed: { ...allowed, calls, own: { calls, stopped_by: "spend_cap" } }, contacts: first, fills_at }
  }

  private *take(queue: PreflightQueue, atMost: number, left: number, now: number): Generator<Waiting> {
    this.isShort = false
    let rest = left
    for (const contact of queue.takeDue(atMost, now)) {
      rest -= this.mostFor(existingOf(contact), now)
      if (rest < 0) {
        this.isShort = true
        return queue.putBack(contact)
      }
      yield contact
    }
  }

  reserve(numbers: ReadonlyArray<string>, now: number): Held {
    const held = this.priceOf(numbers, now)
    for (const counted of this.caps) counted.used += held.most
    return held
  }

  /** What a call that begins now holds. */
  priceOf(numbers: ReadonlyArray<string>, now: number): Held {
    return { most: this.mostFor(numbers, now), dayEnds: this.dayEnds }
  }

  /** Replaces the reservation by what the call costs. A call counts on the day on which it began. */
  settle({ dayEnds, most }: Held, number: string, talked_ms: number, now: number): void {
    this.beginDayAt(now)
    const cost = Math.min(most, this.plan.spend.costOf(number, now, talked_ms))
    for (const counted of this.caps) {
      if (counted.cap === "max_spend" || dayEnds === this.dayEnds) counted.used += cost - most
    }
  }

  private mostFor(numbers: ReadonlyArray<string>, now: number): number {
    return dearestOf(numbers, (number) => this.plan.spend.mostAt(number, now)) ?? Infinity
  }

  private scarcest() {
    return this.caps.reduce<{ readonly cap: SpendCap; readonly left: number }>(
      (one, { cap, limit, used }) => (limit - used < one.left ? { cap, left: limit - used } : one),
      { cap: "max_spend", left: Infinity },
    )
  }

  private beginDayAt(now: number): void {
    if (now < this.dayEnds) return
    this.dayEnds = nextDay(this.plan.account.time_zone, now)
    for (const counted of this.caps) if (counted.cap === "daily_spend_cap") counted.used = 0
  }
}
