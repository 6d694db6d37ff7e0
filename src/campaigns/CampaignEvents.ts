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
import { CampaignSignals } from "./CampaignSignals.ts"
import * as CampaignWatcher from "./CampaignWatcher.ts"

type Watcher = CampaignWatcher.Watcher

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
      const fibers = yield* FiberMap.make<string, void, never>()
      const watchers = new Map<string, Watcher>()

      /** Adds a listener to the campaign's watcher, or starts a watcher for the first one. */
      const join = (account: AccountSlug, id: string, listener: Listener) => {
        const key = `${account}/${id}`
        const present = watchers.get(key)
        const watcher = present ?? CampaignWatcher.make(account, id)
        watchers.set(key, watcher)
        watcher.listeners.add(listener)
        return { key, watcher, isNew: present === undefined }
      }

      const leave = (key: string, watcher: Watcher, listener: Listener) => {
        watcher.listeners.delete(listener)
        if (watcher.listeners.size > 0 || watchers.get(key) !== watcher) return Effect.void
        watchers.delete(key)
        return FiberMap.remove(fibers, key)
      }

      const watch = Effect.fn("CampaignEvents.watch")(function* (entry: AccountEntry, id: string, listener: Listener) {
        const { isNew, key, watcher } = yield* Effect.acquireRelease(
          Effect.sync(() => join(entry.account.slug, id, listener)),
          (joined) => Effect.suspend(() => leave(joined.key, joined.watcher, listener)),
        )
        if (isNew) return yield* Effect.asVoid(FiberMap.run(fibers, key, provide(CampaignWatcher.run(watcher))))
        listener(yield* provide(CampaignWatcher.current(watcher)))
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
