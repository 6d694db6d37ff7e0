/**
 * One account whose webhooks this process delivers ("tends"): the deliveries that the process holds, their results that
 * are not yet written, and when the account was last active. Plain code; times are in milliseconds.
 */
import { Queue, Semaphore } from "effect"
import type { AccountSlug } from "../domain/Account.ts"
import type { DeliveryResult } from "./DeliveryResults.ts"

const attemptsAtEndpoint = 8
/** How soon an event that was committed without a signal to this process is noticed, while the account is tended. */
export const pollMs = 1_000
/**
 * How long an account with webhooks is tended after its last event. After that it is checked only every `restMs`, or
 * when a delivery is due.
 */
const lingerMs = 60_000
export const restMs = 600_000

/** The findings of one round for the account. */
export interface Round {
  readonly webhooks: number
  /** Milliseconds until the next delivery is due; null if none waits. */
  readonly in_ms: number | null
  /** Whether events were fanned out, deliveries were sent, or results were written. */
  readonly moved: boolean
}

/** What to do about the account after a round. */
export type Next =
  | { readonly _tag: "Check"; readonly in_ms: number }
  /** The account needs no fiber for this long. */
  | { readonly _tag: "Rest"; readonly for_ms: number }
  /** The account has no webhook. */
  | { readonly _tag: "Forget" }

export class TendedAccount {
  readonly account: AccountSlug
  /** Holds one item while a signal has not been handled. */
  readonly news: Queue.Queue<void>
  /** The number of deliveries that this process holds, by webhook. */
  readonly busy = new Map<string, number>()
  readonly #permits = new Map<string, Semaphore.Semaphore>()
  /** Results of attempts that are not yet written. */
  readonly done: Array<DeliveryResult> = []
  /** Whether the account has webhooks, as far as is known. */
  isKnown: boolean
  /** Whether the account's webhooks have changed since the last check. */
  isChanged = false
  /** Whether the process is stopping: results are still written, but nothing is begun. */
  isClosing = false
  /** When this process last renewed its claim on the account. */
  claimedAt = 0
  failures = 0
  #activeAt: number

  constructor(account: AccountSlug, news: Queue.Queue<void>, isKnown: boolean, activeAt: number) {
    this.account = account
    this.news = news
    this.isKnown = isKnown
    this.#activeAt = activeAt
  }

  /** Whether no attempt runs and every result is written. */
  get isIdle(): boolean {
    return this.busy.size === 0 && this.done.length === 0
  }

  /** Makes the account's fiber check again now. */
  wake(): void {
    Queue.offerUnsafe(this.news, undefined)
  }

  /** Handles another signal for an account that is already tended. */
  signal(isKnown: boolean, activeAt: number): void {
    this.isKnown ||= isKnown
    this.isChanged ||= isKnown
    this.#activeAt = Math.max(this.#activeAt, activeAt)
    this.wake()
  }

  /** The semaphore that limits the concurrent attempts at one endpoint. */
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
    if (!this.isIdle) return { _tag: "Check", in_ms: pollMs }
    if (now - this.#activeAt >= lingerMs && due >= lingerMs) return { _tag: "Rest", for_ms: Math.min(due, restMs) }
    return { _tag: "Check", in_ms: Math.max(1, Math.min(pollMs, due)) }
  }
}
