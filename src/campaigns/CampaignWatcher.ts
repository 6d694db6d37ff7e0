/** Takes snapshots of one campaign and sends them to its listeners, with a heartbeat in between (spec §6). */
import { Clock, Effect, Option, Semaphore } from "effect"
import type { AccountSlug } from "../domain/Account.ts"
import { Accounts } from "./Accounts.ts"
import { type Listener, type News, newsOf, type Sight } from "./CampaignNews.ts"
import { CampaignSignals } from "./dialling/CampaignSignals.ts"
import { observe } from "./SnapshotQuery.ts"

/** Spec §6. */
const snapshotEveryMs = 2_000
const heartbeatEvery = "15 seconds"
/**
 * A listener that joins within this time of a snapshot gets that one: a thousand clients that reconnect cost one query.
 */
const freshMs = 1_000

export interface Watcher {
  readonly account: AccountSlug
  readonly id: string
  readonly listeners: Set<Listener>
  /** One look at a time, by the watcher and by listeners that join. */
  readonly one: Semaphore.Semaphore
  last: { readonly news: Sight; readonly at: number } | undefined
}

export const make = (account: AccountSlug, id: string): Watcher => ({
  account,
  id,
  listeners: new Set(),
  one: Semaphore.makeUnsafe(1),
  last: undefined,
})

/** Watches until the campaign has ended or no longer exists, or its last listener has left. */
export const run = (watcher: Watcher) =>
  Effect.raceFirst(
    keepFollowing(watcher),
    Effect.forever(
      Effect.andThen(
        Effect.sleep(heartbeatEvery),
        Effect.sync(() => tell(watcher, heartbeat)),
      ),
    ),
  ).pipe(Effect.annotateLogs({ account: watcher.account, campaign: watcher.id }))

/** Sends a snapshot every 2 s while the campaign runs, and otherwise one when its status changes (decisions §4). */
const follow = Effect.fnUntraced(function* (watcher: Watcher) {
  const signals = yield* CampaignSignals
  const waiter = yield* Effect.acquireRelease(signals.listen(watcher.account, watcher.id, "changes"), signals.leave)
  let told: string | undefined
  while (watcher.listeners.size > 0) {
    const began = yield* Clock.currentTimeMillis
    const news = yield* watcher.one.withPermits(1)(look(watcher))
    if (news === undefined) return tell(watcher, gone)
    if (news._tag === "End" || news.snapshot.status === "running" || news.snapshot.status !== told) {
      tell(watcher, news)
    }
    if (news._tag === "End") return
    told = news.snapshot.status
    yield* signals.wait(waiter, began + snapshotEveryMs - (yield* Clock.currentTimeMillis))
  }
}, Effect.scoped)

/** Follows the campaign, and begins again after a failure: a listener stays until the campaign has ended. */
const keepFollowing = (watcher: Watcher): Effect.Effect<void, never, Accounts | CampaignSignals> =>
  Effect.catchCause(follow(watcher), (cause) =>
    Effect.logWarning("campaign watcher failed; restarting", cause).pipe(
      Effect.andThen(Effect.sleep(snapshotEveryMs)),
      Effect.andThen(Effect.suspend(() => keepFollowing(watcher))),
    ),
  )

/** Returns the present news for a listener that joins. */
export const current = Effect.fnUntraced(
  function* (watcher: Watcher) {
    const now = yield* Clock.currentTimeMillis
    const { last } = watcher
    const news = last !== undefined && now - last.at < freshMs ? last.news : yield* look(watcher)
    return news ?? gone
  },
  (looking, watcher) => watcher.one.withPermits(1)(looking),
)

const look = Effect.fnUntraced(function* (watcher: Watcher) {
  // A listener that joins after the watcher has ended must not get news that nothing follows.
  watcher.last = undefined
  const accounts = yield* Accounts
  const entry = yield* accounts.find(watcher.account)
  if (Option.isNone(entry)) return undefined
  const observed = yield* Effect.option(observe(watcher.id).pipe(accounts.within(entry.value)))
  if (Option.isNone(observed)) return undefined
  watcher.last = { news: newsOf(observed.value), at: yield* Clock.currentTimeMillis }
  return watcher.last.news
})

const heartbeat: News = { _tag: "Heartbeat" }
const gone: News = { _tag: "Gone" }

const tell = (watcher: Watcher, news: News): void => {
  for (const listener of [...watcher.listeners]) listener(news)
}
