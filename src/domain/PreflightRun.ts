/**
 * A campaign in virtual time: the dialler's own rules over its real contacts, and calls that end as assumed. It uses no
 * clock and no database, and advances in small steps, so that its caller can yield to other work between them.
 */
import type { Outcome } from "./Call.ts"
import { type CallingWindow, zonesIn } from "./CallingWindow.ts"
import { choose, type DialVerdict } from "./DialDecision.ts"
import { waitingFor, wanted } from "./DialPlan.ts"
import type { DialLimit } from "./Forecast.ts"
import { MinHeap } from "./MinHeap.ts"
import { holds, nextInMs } from "./NumberPace.ts"
import type { Assumed } from "./Preflight.ts"
import { PreflightCaps, type PreflightUse } from "./PreflightCaps.ts"
import { expectedCall } from "./PreflightChance.ts"
import { type PreflightContact, PreflightQueue, type Waiting } from "./PreflightQueue.ts"
import { PreflightTally } from "./PreflightTally.ts"
import { settlementOf } from "./Settlement.ts"
import { day } from "./ZoneClock.ts"

/** What stays the same from beginning to end. */
export interface PreflightPlan extends PreflightUse {
  readonly max_concurrent_calls: number
  readonly retries_per_contact: number
  readonly retry_delay_seconds: number
  readonly redial_unknown: boolean
  readonly agent: { readonly max_call_seconds: number; readonly voicemail_action: "hang_up" | "leave_message" }
  readonly window: CallingWindow | null
  readonly assumed: Assumed
}

interface LiveCall {
  readonly ends: number
  readonly contact: Waiting
  readonly outcome: Outcome
}

/** A campaign that takes longer has other problems. */
const longest = 366 * day
/** Contacts of a turn, when a window leaves many of them out: those behind them have the next one, at the same moment. */
const lookedAt = 500

export class PreflightRun {
  now: number
  readonly tally = new PreflightTally()
  private readonly plan: PreflightPlan
  private readonly caps: PreflightCaps
  private readonly queue = new PreflightQueue()
  private readonly live = new MinHeap<LiveCall>((a, b) => a.ends < b.ends)
  private readonly numbersInCall = new Set<string>()

  constructor(plan: PreflightPlan) {
    this.plan = plan
    this.now = plan.starting_at
    this.caps = new PreflightCaps(plan)
  }

  /** In file order, before the first step. One that is in a call is taken to have just begun it. */
  add(facts: PreflightContact, isInCall: boolean): void {
    this.tally.considered++
    const contact: Waiting = { ...facts, suppressed: false }
    if (isInCall) this.call(contact)
    else this.queue.arrive(contact)
  }

  /** Goes on for about so many contacts and calls; says whether that was the end. */
  advance(steps: number): boolean {
    const last = this.plan.starting_at + longest
    for (let left = steps; left > 0;) {
      const ended = this.endCalls()
      const { looked, next, reason } = this.turn()
      left -= ended + looked + 1
      if (next === null) return true
      // A turn in which nothing came to pass is not taken again at the same moment.
      const until = Math.min(looked === 0 ? Math.max(next, this.now + 1) : next, last)
      this.tally.pass(until - this.now, this.live.size, reason)
      this.now = until
      if (until === last) return true
    }
    return false
  }

  /** One turn of the dialler: as many calls as the rules allow. When something is different, and what it waits for. */
  private turn() {
    const { caps, live, now, plan, queue } = this
    const minute = caps.ownMinute(now)
    const own = wanted({ ...plan, active_calls: live.size, last_minute: minute.used })
    const pace = caps.numberPace(now)
    const asked = Math.min(own.calls, pace.free)
    const admission = asked === 0 ? null : caps.admit(asked, live.size, now)
    const { begun, looked } = this.dial(admission?.admitted ?? 0)
    caps.begin(begun, now)
    this.tally.begin(begun, now)

    const dueAt = queue.dueAt()
    const due = dueAt <= now
    const waitsFor = due ? null : (queue.first()?.waits_for ?? null)
    const next = waitsFor === null ? null : { waits_for: waitsFor }
    const reason = waitingFor({ own: minute.frees_at === null ? null : own.stopped_by, admission, begun, due, next })
    const isPaced = due && begun < own.calls && holds(pace, begun)
    const times = [
      live.peek()?.ends ?? null,
      // A batch, or those who were put off, were all that kept the others: the next turn comes at once.
      due && begun > 0 && begun === own.calls && live.size < plan.max_concurrent_calls ? now : null,
      due && looked > 0 && begun < (admission?.admitted ?? 0) ? now : null,
      dueAt < Infinity && !due ? dueAt : null,
      due ? minute.frees_at : null,
      isPaced ? now + (nextInMs(pace, begun) ?? 0) : null,
      due && admission !== null && admission.stopped_by !== null && admission.stopped_by !== "concurrent_cap"
        ? admission.usage[admission.stopped_by].resets_at.getTime()
        : null,
    ].filter((time) => time !== null)
    return { looked, next: times.length === 0 ? null : Math.min(...times), reason: reason ?? this.lack(due, isPaced) }
  }

  /** What the dialler has no word for: it never says that a campaign waits for itself. */
  private lack(due: boolean, isPaced: boolean): DialLimit | null {
    if (isPaced) return "number_pace"
    return due && this.live.size >= this.plan.max_concurrent_calls ? "slots" : null
  }

  private dial(free: number) {
    const circumstances = {
      status: "running",
      window: this.plan.window,
      zonesOf: ({ zones }: Waiting) => zones,
      inCall: (number: string) => this.numbersInCall.has(number),
      now: new Date(this.now),
    } as const
    let [begun, looked] = [0, 0]
    while (begun < free && looked < lookedAt) {
      const offered = this.queue.offer(free - begun, this.now)
      if (offered.length === 0) break
      looked += offered.length
      for (const { contact, verdict } of choose(offered, free - begun, circumstances)) {
        if (verdict._tag === "Dial") begun++
        this.follow(contact, verdict)
      }
    }
    return { begun, looked }
  }

  private follow(contact: Waiting, verdict: DialVerdict): void {
    if (verdict._tag === "Dial") {
      contact.attempts++
      this.call(contact)
    } else if (verdict._tag === "Skip") {
      if (verdict.reason !== "stopped") this.skip(contact, verdict.reason)
      this.releaseNext(contact)
    } else if (verdict.until === null) {
      this.queue.putBehind(contact)
    } else {
      contact.due_at = verdict.until
      contact.waits_for = "calling_window"
      this.queue.put(contact)
      this.releaseNext(contact)
    }
  }

  /** A contact was not called: another one of its number may be, unless the number is in a call. */
  private releaseNext({ phone_number }: Waiting): void {
    if (!this.numbersInCall.has(phone_number)) this.queue.release(phone_number)
  }

  private call(contact: Waiting): void {
    const { milliseconds, outcome } = expectedCall(this.plan.assumed, this.plan.agent.max_call_seconds, contact)
    contact.due_at = null
    contact.waits_for = null
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
    const end = { outcome, accepted, attempt_number: contact.attempts, ended_at: new Date(ends) }
    const settlement = settlementOf(end, { ...this.plan, status: "running" })
    this.tally.end(outcome)
    this.numbersInCall.delete(contact.phone_number)
    this.queue.release(contact.phone_number)
    if (settlement.status === "completed") this.tally.completed++
    else if (settlement.status === "failed") this.tally.failed++
    else if (settlement.status === "pending") {
      contact.due_at = settlement.due_at
      contact.waits_for = "retry_delay"
      this.queue.put(contact)
    }
  }

  private skip(contact: Waiting, reason: "do_not_call" | "outside_window"): void {
    const { id: contact_id, phone_number, position } = contact
    const detail = reason === "do_not_call" ? "It is on the do-not-call list." : this.whyNever(contact)
    this.tally.skip({ contact_id, position, phone_number, reason, detail })
  }

  private whyNever({ zones }: Waiting): string {
    const said = this.plan.window === null ? [] : zonesIn(this.plan.window, () => zones)
    return said.length === 0
      ? "Nobody knows its time zone."
      : `It may be in any of ${said.join(", ")}, which have no such hours in common.`
  }
}
