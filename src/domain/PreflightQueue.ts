/** Contacts that wait in a preflight, in the order in which the dialler takes them: retries that are due, then fresh ones. */
import type { ContactId } from "./Contact.ts"
import type { DialFacts, TimedWait } from "./DialDecision.ts"
import type { E164 } from "./E164.ts"
import { MinHeap } from "./MinHeap.ts"

export interface PreflightContact {
  readonly id: ContactId
  readonly position: number
  readonly phone_number: E164
  /** Lists have few sets of zones; each stands in memory once. */
  readonly zones: ReadonlyArray<string>
  readonly attempts: number
  readonly due_at: Date | null
  readonly waits_for: TimedWait | null
  /** On the do-not-call list until then: 0 if it is not, Infinity if for ever. */
  readonly listed_until: number
}

/** A contact as it goes on: its attempts rise, its turn moves. */
export interface Waiting extends PreflightContact, DialFacts {
  readonly phone_number: E164
  attempts: number
  due_at: Date | null
  waits_for: TimedWait | null
  suppressed: boolean
}

const dueOf = ({ due_at }: Waiting): number => due_at?.getTime() ?? -Infinity
const isFirst = (a: Waiting, b: Waiting): boolean =>
  dueOf(a) === dueOf(b) ? a.position < b.position : dueOf(a) < dueOf(b)

export class PreflightQueue {
  /** Most of a list is never put off: it stands here as it came, in file order, from `arrived` on. */
  private readonly arrivals: Array<Waiting> = []
  private arrived = 0
  private readonly fresh = new MinHeap<Waiting>(isFirst)
  private readonly retried = new MinHeap<Waiting>(isFirst)
  /** Whose number is in a call: not offered until that has ended. */
  private readonly behind = new Map<string, Array<Waiting>>()

  /** In file order, each later than all before. */
  arrive(contact: Waiting): void {
    if (contact.attempts === 0 && contact.due_at === null) this.arrivals.push(contact)
    else this.put(contact)
  }

  put(contact: Waiting): void {
    const queue = contact.attempts > 0 ? this.retried : this.fresh
    queue.push(contact)
  }

  putBehind(contact: Waiting): void {
    this.behind.set(contact.phone_number, [...(this.behind.get(contact.phone_number) ?? []), contact])
  }

  /** The call to this number has ended. */
  letGo(number: string): void {
    for (const contact of this.behind.get(number) ?? []) this.put(contact)
    this.behind.delete(number)
  }

  /** Takes out those whose turn has come. */
  offer(atMost: number, now: number): ReadonlyArray<Waiting> {
    const offered: Array<Waiting> = []
    while (offered.length < atMost) {
      const next = this.takeDue(now)
      if (next === undefined) break
      next.suppressed = next.listed_until > now
      offered.push(next)
    }
    return offered
  }

  private takeDue(now: number): Waiting | undefined {
    const retry = this.retried.peek()
    if (retry !== undefined && dueOf(retry) <= now) return this.retried.pop()
    const [arrival, fresh] = [this.arrivals[this.arrived], this.fresh.peek()]
    if (arrival !== undefined && (fresh === undefined || isFirst(arrival, fresh))) {
      this.arrived++
      return arrival
    }
    return fresh !== undefined && dueOf(fresh) <= now ? this.fresh.pop() : undefined
  }

  /** Whose turn comes next, or has come. */
  first(): Waiting | undefined {
    const arrival = this.arrivals[this.arrived]
    if (arrival !== undefined) return arrival
    const [a, b] = [this.retried.peek(), this.fresh.peek()]
    return a === undefined || (b !== undefined && dueOf(b) < dueOf(a)) ? b : a
  }

  dueAt(): number {
    const first = this.first()
    return first === undefined ? Infinity : dueOf(first)
  }
}
