/**
 * One account that this process tends: the deliveries that it holds, their unwritten results, and when it was last
 * looked at. Plain code; times are in milliseconds.
 */
import { Queue, Semaphore } from "effect"
import type { AccountSlug } from "../domain/Account.ts"
import type { DeliveryResult } from "./DeliveryResults.ts"

const attemptsAtEndpoint = 8
/** How soon an event that was committed without a signal to this process is noticed, while the account is tended. */
export const pollMs = 1_000
/** How long an account with webhooks is tended after its last event; after that it is only looked at now and then. */
const lingerMs = 60_000
export const restMs = 600_000

/** What one round at the account came upon. */
export interface Round {
  readonly webhooks: number
  /** Until the next delivery is due; null if none waits. */
  readonly in_ms: number | null
  /** Events were fanned out, or deliveries were sent or written. */
  readonly moved: boolean
}

/** What to do about the account after a round. */
export type Next =
  | { readonly _tag: "Look"; readonly in_ms: number }
  /** It needs no fiber until then. */
  | { readonly _tag: "Rest"; readonly for_ms: number }
  /** It has no webhook. */
  | { readonly _tag: "Forget" }

export class Desk {
  readonly account: AccountSlug
  readonly news: Queue.Queue<void>
  /** Deliveries that this process holds, by webhook. */
  readonly busy = new Map<string, number>()
  readonly #permits = new Map<string, Semaphore.Semaphore>()
  /** Results of attempts that are not yet written. */
  readonly done: Array<DeliveryResult> = []
  /** It has webhooks, as far as is known. */
  isKnown: boolean
  /** Its webhooks have changed since the last look. */
  isChanged = false
  /** The process stops: results are written, and nothing is begun. */
  isClosing = false
  saidAt = 0
  failures = 0
  #activeAt: number

  constructor(account: AccountSlug, news: Queue.Queue<void>, isKnown: boolean, activeAt: number) {
    this.account = account
    this.news = news
    this.isKnown = isKnown
    this.#activeAt = activeAt
  }

  /** No attempt runs, and every result is written. */
  get isIdle(): boolean {
    return this.busy.size === 0 && this.done.length === 0
  }

  /** Lets the account be looked at again now. */
  wake(): void {
    Queue.offerUnsafe(this.news, undefined)
  }

  /** A further signal for an account that is tended already. */
  signal(isKnown: boolean, activeAt: number): void {
    this.isKnown ||= isKnown
    this.isChanged ||= isKnown
    this.#activeAt = Math.max(this.#activeAt, activeAt)
    this.wake()
  }

  /** Limits the attempts at one endpoint. */
  permitsOf(webhook: string): Semaphore.Semaphore {
    const permits = this.#permits.get(webhook) ?? Semaphore.makeUnsafe(attemptsAtEndpoint)
    this.#permits.set(webhook, permits)
    return permits
  }

  hold(webhook: string): void {
    this.busy.set(webhook, (this.busy.get(webhook) ?? 0) + 1)
  }

  release(webhook: string): void {
    const left = (this.busy.get(webhook) ?? 1) - 1
    if (left === 0) this.busy.delete(webhook)
    else this.busy.set(webhook, left)
    this.wake()
  }

  next({ in_ms, moved, webhooks }: Round, now: number): Next {
    if (webhooks === 0) return { _tag: "Forget" }
    if (this.isClosing) return { _tag: "Rest", for_ms: 0 }
    if (moved) this.#activeAt = now
    const due = in_ms ?? Infinity
    if (!this.isIdle) return { _tag: "Look", in_ms: pollMs }
    if (now - this.#activeAt >= lingerMs && due >= lingerMs) return { _tag: "Rest", for_ms: Math.min(due, restMs) }
    return { _tag: "Look", in_ms: Math.max(1, Math.min(pollMs, due)) }
  }
}
