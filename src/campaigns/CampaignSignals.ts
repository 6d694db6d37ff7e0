/** Who waits for news of a campaign: its dialler for free slots, its watchers for another state. Hints, never the truth. */
import { Context, Effect, Layer, Option, Queue } from "effect"
import type { AccountSlug } from "../domain/Account.ts"

export class CampaignSignals extends Context.Service<
  CampaignSignals,
  {
    /** Slots or caps of the account may have become free. */
    readonly wake: (account: AccountSlug) => Effect.Effect<void>
    /** The campaign's row has changed: its dialler and its watchers look again. */
    readonly changed: (account: AccountSlug, id: string) => Effect.Effect<void>
    /** Waits for one of the two, or for so many milliseconds; says whether news came. */
    readonly wait: (waiter: Waiter, milliseconds: number) => Effect.Effect<boolean>
    /** Registers for the news, until the scope closes. */
    readonly listen: (account: AccountSlug, id: string, hears: Hears) => Effect.Effect<Waiter, never, never>
    readonly leave: (waiter: Waiter) => Effect.Effect<void>
  }
>()("campaigns/CampaignSignals") {
  static readonly layer = Layer.sync(this, () => {
    const waiters = new Map<AccountSlug, Set<Waiter>>()
    const tell = (account: AccountSlug, concerns: (waiter: Waiter) => boolean) =>
      Effect.sync(() => {
        for (const waiter of waiters.get(account) ?? []) if (concerns(waiter)) Queue.offerUnsafe(waiter.news, undefined)
      })
    return {
      wake: (account) => tell(account, ({ hears }) => hears === "slots"),
      changed: (account, id) => tell(account, (waiter) => waiter.id === id),
      wait: ({ news }, milliseconds) =>
        Effect.map(Effect.timeoutOption(Queue.take(news), Math.max(1, milliseconds)), Option.isSome),
      listen: Effect.fnUntraced(function* (account, id, hears) {
        const waiter: Waiter = { account, id, hears, news: yield* Queue.sliding<void>(1) }
        const others = waiters.get(account) ?? new Set()
        waiters.set(account, others.add(waiter))
        return waiter
      }),
      leave: (waiter) =>
        Effect.sync(() => {
          const others = waiters.get(waiter.account)
          others?.delete(waiter)
          if (others?.size === 0) waiters.delete(waiter.account)
        }),
    }
  })
}

/** Diallers hear of slots too; watchers would be woken by every call. */
type Hears = "slots" | "changes"

/** One place in the queue: news that nobody has taken yet is not told twice. */
export interface Waiter {
  readonly account: AccountSlug
  readonly id: string
  readonly hears: Hears
  readonly news: Queue.Queue<void>
}
