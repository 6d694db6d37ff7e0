/**
 * Contacts that wait in a preflight, in the order in which the dialler takes them: by priority, and among those of one
 * priority retries that are due, then fresh ones.
 */
import type { Outcome } from "./Call.ts"
import type { ContactId } from "./Contact.ts"
import type { TimedWait } from "./DialDecision.ts"
import type { PassContact, Upcoming } from "./DialPass.ts"
import type { E164 } from "./E164.ts"
import type { PersonState, PreflightPerson } from "./PreflightPerson.ts"
import type { Party } from "./Rules.ts"
import { MinHeap } from "./MinHeap.ts"

/** A number, and until when it may be called. */
export interface PreflightNumber {
  readonly phone_number: E164
  /** Lists have few sets of zones, so each set is kept in memory once. */
  readonly zones: ReadonlyArray<string>
  /** What rule packs depend on. Shared like the zones, and absent without packs. */
  readonly whereabouts?: Pick<Party, "place" | "zones"> | undefined
  /** Until when the number is on the do-not-call list: 0 if it is not on it, Infinity if it stays for ever. */
  readonly listed_until: number
  /** Until when the number has the required consent: 0 if it has none, Infinity if it has no end or none is required. */
  readonly consent_until: number
}

/** The number is the first of the person. */
export interface PreflightContact extends PreflightNumber {
  readonly id: ContactId
  readonly position: number
  readonly priority: number
  readonly attempts: number
  /** The callbacks that were dialled, and the outstanding one. */
  readonly callbacks: number
  readonly due_at: Date | null
  readonly waits_for: TimedWait | null
  /** The end of the quiet period after a call that was answered before the simulation. */
  readonly quiet_until: Date | null
  /** Absent if the person has one number. */
  readonly person?: PreflightPerson | undefined
}

/** A contact during the simulation: its attempts increase and its due time moves. */
export interface Waiting extends Omit<PreflightContact, "person">, PassContact {
  readonly phone_number: E164
  readonly person?: PersonState | undefined
  /** The contact itself, if this is it with one of several numbers. */
  readonly of?: Waiting
  /** The zones by which a retry is placed in the day: those of the number whose turn it is. Absent with one number. */
  readonly placed_by?: ReadonlyArray<string>
  /** Whether the next attempt is a callback, which goes to the number of the last one. */
  due_for_callback: boolean
  attempts: number
  due_at: Date | null
  waits_for: TimedWait | null
  quiet_until: Date | null
  suppressed: boolean
  lacks_consent: boolean
  fresh: boolean
  /** When the simulated attempts began, if the time of day of a retry depends on them. */
  began?: ReadonlyArray<number>
  /** The simulated attempts by outcome. Those before the simulation are not known. */
  readonly ended: Partial<Record<Outcome, number>>
}

const dueOf = ({ due_at }: Waiting): number => due_at?.getTime() ?? -Infinity
const isFirst = (a: Waiting, b: Waiting): boolean =>
  dueOf(a) === dueOf(b) ? a.position < b.position : dueOf(a) < dueOf(b)
/** Among due contacts, a higher priority goes first, and then retries. */
const isFirstOfDue = (a: Waiting, b: Waiting): boolean => {
  if (a.priority !== b.priority) return a.priority > b.priority
  return a.attempts > 0 === b.attempts > 0 ? isFirst(a, b) : a.attempts > 0
}

export class PreflightQueue {
  /**
   * The contacts that were never put off, which are most of a list. They stay in file order unless they have priorities;
   * `arrived` is the index of the first one left.
   */
  private readonly arrivals: Array<Waiting> = []
  private arrived = 0
  private areOrdered = true
  private readonly later = new MinHeap<Waiting>(isFirst)
  private readonly due = new MinHeap<Waiting>(isFirstOfDue)
  /** Contacts that are due but whose number is in a call, by household. They are offered when the call has ended. */
  private readonly behind = new Map<string, MinHeap<Waiting>>()

  /** Adds a contact. The caller adds contacts in file order. */
  arrive(contact: Waiting): void {
    if (contact.attempts > 0 || contact.due_at !== null) return this.put(contact)
    this.areOrdered &&= contact.priority <= (this.arrivals.at(-1)?.priority ?? contact.priority)
    this.arrivals.push(contact)
  }

  put(contact: Waiting): void {
    this.later.push(contact)
  }

  /** `household` stands for the contacts that share a number (`Households`). */
  putBehind(contact: Waiting, household: string): void {
    const others = this.behind.get(household) ?? new MinHeap<Waiting>(isFirstOfDue)
    others.push(contact)
    this.behind.set(household, others)
  }

  /**
   * Puts back the first contact behind a call to the household. The caller does so when such a call has ended, and when
   * the contact that was put back is not called after all. Putting back all of them at once would take quadratic time
   * for a list with only one number.
   */
  release(household: string): void {
    const others = this.behind.get(household)
    const next = others?.pop()
    if (others?.peek() === undefined) this.behind.delete(household)
    if (next !== undefined) this.put(next)
  }

  /** Takes due contacts out of the queue, one by one as they are read. */
  *takeDue(atMost: number, now: number): Generator<Waiting> {
    for (let taken = 0; taken < atMost; taken++) {
      const next = this.takeFirstDue(now)
      if (next === undefined) return
      yield next
    }
  }

  /** Puts back a contact that was taken and not looked at. It is the first again. */
  putBack(contact: Waiting): void {
    this.due.push(contact)
  }

  private takeFirstDue(now: number): Waiting | undefined {
    for (let next = this.later.peek(); next !== undefined && dueOf(next) <= now; next = this.later.peek()) {
      this.later.pop()
      this.due.push(next)
    }
    const [arrival, due] = [this.firstArrival(), this.due.peek()]
    if (arrival === undefined || (due !== undefined && isFirstOfDue(due, arrival))) return this.due.pop()
    this.arrived++
    return arrival
  }

  private firstArrival(): Waiting | undefined {
    if (!this.areOrdered) this.arrivals.sort((a, b) => b.priority - a.priority || a.position - b.position)
    this.areOrdered = true
    return this.arrivals[this.arrived]
  }

  /** What the remaining contacts wait for, when none of them is due and callable. */
  upcoming(): Upcoming {
    const { due_at = null, waits_for = null } = this.first() ?? {}
    return {
      behind_calls: this.behind.size > 0,
      timed: due_at === null || waits_for === null ? null : { due_at, waits_for },
    }
  }

  /** The contact that is due, or becomes due next. */
  first(): Waiting | undefined {
    return this.firstArrival() ?? this.due.peek() ?? this.later.peek()
  }

  dueAt(): number {
    const first = this.first()
    return first === undefined ? Infinity : dueOf(first)
  }
}
