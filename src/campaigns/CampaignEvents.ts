/**
 * Sends events of campaigns to clients. However many clients follow a campaign, the process has one watcher for it,
 * which takes a snapshot and sends it to all of them (spec §6).
 */
import { Context, Effect, FiberMap, Layer, Queue, type Scope, Stream } from "effect"
import type { AccountSlug } from "../domain/Account.ts"
import type { AccountEntry } from "../tenancy/AccountDirectory.ts"
import { capture } from "../tenancy/Capture.ts"
import { Accounts } from "./Accounts.ts"
import type { Listener, Sight } from "./CampaignNews.ts"
import { CampaignSignals } from "./dialling/CampaignSignals.ts"
import * as CampaignWatcher from "./CampaignWatcher.ts"

interface Watched {
  /** The account and the campaign. */
  readonly key: string
  readonly number: number
  readonly watcher: CampaignWatcher.Watcher
}

export class CampaignEvents extends Context.Service<
  CampaignEvents,
  {
    /**
     * Sends the campaign's news to `listener`, at once and from then on, until the scope closes or the campaign has
     * ended.
     */
    readonly watch: (account: AccountEntry, id: string, listener: Listener) => Effect.Effect<void, never, Scope.Scope>
  }
>()("campaigns/CampaignEvents") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const provide = yield* capture(Accounts, CampaignSignals)
      /** By a number of each watcher: one that ends must not end the next watcher of its campaign. */
      const fibers = yield* FiberMap.make<number, void, never>()
      const watchers = new Map<string, Watched>()
      let started = 0

      /** Adds a listener to the campaign's watcher, or starts a watcher for the first one. */
      const join = Effect.fnUntraced(function* (account: AccountSlug, id: string, listener: Listener) {
        const key = `${account}/${id}`
        const present = watchers.get(key)
        const watched = present ?? { key, number: ++started, watcher: CampaignWatcher.make(account, id) }
        watchers.set(key, watched)
        watched.watcher.listeners.add(listener)
        if (present !== undefined) return { watched, isNew: false }
        yield* FiberMap.run(fibers, watched.number, Effect.interruptible(provide(CampaignWatcher.run(watched.watcher))))
        return { watched, isNew: true }
      })

      const leave = ({ key, number, watcher }: Watched, listener: Listener) => {
        watcher.listeners.delete(listener)
        if (watcher.listeners.size > 0 || watchers.get(key)?.number !== number) return Effect.void
        watchers.delete(key)
        return FiberMap.remove(fibers, number)
      }

      const watch = Effect.fn("CampaignEvents.watch")(function* (entry: AccountEntry, id: string, listener: Listener) {
        const { isNew, watched } = yield* Effect.acquireRelease(join(entry.account.slug, id, listener), (joined) =>
          Effect.suspend(() => leave(joined.watched, listener)),
        )
        if (!isNew) listener(yield* provide(CampaignWatcher.current(watched.watcher)))
      })

      return { watch }
    }),
  )
}

/** Follows a campaign as a stream. A slow reader loses old snapshots; the stream ends after the last one. */
export const follow = (account: AccountEntry, id: string): Stream.Stream<Sight, never, CampaignEvents> =>
  Stream.callback<Sight, never, CampaignEvents>(
    Effect.fnUntraced(function* (queue) {
      const { watch } = yield* CampaignEvents
      yield* watch(account, id, (news) => {
        if (news._tag === "Snapshot" || news._tag === "End") Queue.offerUnsafe(queue, news)
        if (news._tag === "End" || news._tag === "Gone") Queue.endUnsafe(queue)
      })
      return yield* Effect.never
    }),
    { bufferSize: 1, strategy: "sliding" },
  )
