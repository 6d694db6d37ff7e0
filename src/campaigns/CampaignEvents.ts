/**
 * One watcher for each campaign and process, however many clients follow: it takes a snapshot and sends it to all of
 * them (spec §6).
 */
import { Cause, Clock, Context, Effect, FiberMap, Layer, Option, Queue, type Scope, Semaphore, Stream } from "effect"
import type { AccountSlug } from "../domain/Account.ts"
import { isTerminal } from "../domain/Campaign.ts"
import type { CampaignSnapshot } from "../domain/CampaignSnapshot.ts"
import type { AccountEntry } from "../tenancy/AccountDirectory.ts"
import { Accounts } from "./Accounts.ts"
import { CampaignSignals } from "./CampaignSignals.ts"
import { observe, type Observed } from "./SnapshotQuery.ts"

/** The messages of a stream. All listeners get the same object, so that it is encoded once. */
export type News =
  | { readonly _tag: "Snapshot"; readonly id: number; readonly snapshot: CampaignSnapshot }
  | { readonly _tag: "End"; readonly id: number; readonly snapshot: CampaignSnapshot }
  | { readonly _tag: "Heartbeat" }
  /** The campaign no longer exists: a draft that was deleted, or its account. */
  | { readonly _tag: "Gone" }

type Sight = Extract<News, { readonly id: number }>

export type Listener = (news: News) => void

/** Spec §6. */
const snapshotEveryMs = 2_000
const heartbeatEvery = "15 seconds"
/**
 * A listener that joins within this time of a snapshot gets that one: a thousand clients that reconnect cost one query.
 */
const freshMs = 1_000

/**
 * Milliseconds since the campaign was created, doubled, and odd at its end. Ids rise across restarts and processes, and
 * an id that a client sends back tells whether it has seen the end.
 */
export const endId = ({ created_at, ended_at }: { readonly created_at: Date; readonly ended_at: Date }): number =>
  2 * (ended_at.getTime() - created_at.getTime()) + 1

export const newsOf = ({ created_at, ended_at, snapshot }: Observed): Sight =>
  isTerminal(snapshot.status) && ended_at !== null
    ? { _tag: "End", id: endId({ created_at, ended_at }), snapshot }
    : { _tag: "Snapshot", id: 2 * Math.max(0, snapshot.at.getTime() - created_at.getTime()), snapshot }

export class CampaignEvents extends Context.Service<
  CampaignEvents,
  {
    /** Sends to `listener` at once and from then on, until the scope closes or the campaign has ended. */
    readonly watch: (account: AccountEntry, id: string, listener: Listener) => Effect.Effect<void, never, Scope.Scope>
  }
>()("campaigns/CampaignEvents") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const signals = yield* CampaignSignals
      const fibers = yield* FiberMap.make<string, void, never>()
      const watchers = new Map<string, Watcher>()

      const look = Effect.fnUntraced(function* (watcher: Watcher) {
        const entry = yield* accounts.find(watcher.account)
        if (Option.isNone(entry)) return undefined
        const observed = yield* Effect.option(observe(watcher.id).pipe(accounts.within(entry.value)))
        if (Option.isNone(observed)) return undefined
        watcher.last = { news: newsOf(observed.value), at: yield* Clock.currentTimeMillis }
        return watcher.last.news
      })

      /** A snapshot every 2 s while it runs; otherwise one when its status changes (decisions §4). */
      const follow = Effect.fnUntraced(function* (watcher: Watcher) {
        const waiter = yield* Effect.acquireRelease(
          signals.listen(watcher.account, watcher.id, "changes"),
          signals.leave,
        )
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

      const following = (watcher: Watcher): Effect.Effect<void> =>
        Effect.catchCause(follow(watcher), (cause) =>
          Cause.hasInterrupts(cause)
            ? Effect.interrupt
            : Effect.logWarning("campaign watcher failed; restarting", cause).pipe(
                Effect.andThen(Effect.sleep(snapshotEveryMs)),
                Effect.andThen(Effect.suspend(() => following(watcher))),
              ),
        )

      const run = (watcher: Watcher) =>
        Effect.raceFirst(
          following(watcher),
          Effect.forever(
            Effect.andThen(
              Effect.sleep(heartbeatEvery),
              Effect.sync(() => tell(watcher, heartbeat)),
            ),
          ),
        ).pipe(Effect.annotateLogs({ account: watcher.account, campaign: watcher.id }))

      /** Adds a listener to the campaign's watcher, or starts a watcher for the first one. */
      const join = (account: AccountSlug, id: string, listener: Listener) => {
        const key = `${account}/${id}`
        const present = watchers.get(key)
        const watcher = present ?? { account, id, listeners: new Set(), one: Semaphore.makeUnsafe(1), last: undefined }
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
        if (isNew) return yield* Effect.asVoid(FiberMap.run(fibers, key, run(watcher)))
        const news = yield* watcher.one.withPermits(1)(current(watcher))
        listener(news ?? gone)
      })

      const current = Effect.fnUntraced(function* (watcher: Watcher) {
        const now = yield* Clock.currentTimeMillis
        const { last } = watcher
        return last !== undefined && now - last.at < freshMs ? last.news : yield* look(watcher)
      })

      return { watch }
    }),
  )
}

/** As a stream. A slow reader loses old snapshots; the stream ends after the last one. */
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

interface Watcher {
  readonly account: AccountSlug
  readonly id: string
  readonly listeners: Set<Listener>
  /** One look at a time, by the watcher and by listeners that join. */
  readonly one: Semaphore.Semaphore
  last: { readonly news: Sight; readonly at: number } | undefined
}

const heartbeat: News = { _tag: "Heartbeat" }
const gone: News = { _tag: "Gone" }

const tell = (watcher: Watcher, news: News): void => {
  for (const listener of [...watcher.listeners]) listener(news)
}
