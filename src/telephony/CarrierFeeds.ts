/**
 * Passes a carrier's reports to the process that conducts the call. A report may reach any process, so it travels
 * through the account's database. If it reaches the right process, that process has it at once.
 */
import { Context, Effect, FiberMap, Layer, Schedule, type Scope, SubscriptionRef } from "effect"
import type { SqlError } from "effect/sql"
import { type AccountNotFound, type AccountSlug, AccountUnavailable } from "../domain/Account.ts"
import type { CallId } from "../domain/Call.ts"
import { AccountDirectory } from "../tenancy/AccountDirectory.ts"
import { type Tenant, TenantDatabases } from "../tenancy/TenantDatabases.ts"
import * as CarrierCalls from "./CarrierCalls.ts"
import type { CarrierCall, News } from "./CarrierCalls.ts"

/** How often this process looks for reports that other processes received. */
const checkEvery = "1 second"
const lookLimit = "10 seconds"

/** The latest state of a live call that its carrier reported; null before the first report. */
export type Feed = SubscriptionRef.SubscriptionRef<CarrierCall | null>

type Away = AccountNotFound | AccountUnavailable | SqlError.SqlError

export class CarrierFeeds extends Context.Service<
  CarrierFeeds,
  {
    /** Follows the call's reports until the scope closes. */
    readonly follow: (account: AccountSlug, id: CallId) => Effect.Effect<Feed, never, Scope.Scope>
    /** Joins the report into the call's row, commits, and returns the row; null if the report is about another call. */
    readonly tell: (account: AccountSlug, id: CallId, news: News) => Effect.Effect<CarrierCall | null, Away>
    readonly find: (account: AccountSlug, id: CallId) => Effect.Effect<CarrierCall | null, Away>
    /** Runs statements in the account's database. */
    readonly within: (
      account: AccountSlug,
    ) => <A, E>(effect: Effect.Effect<A, E, Tenant>) => Effect.Effect<A, E | AccountNotFound | AccountUnavailable>
  }
>()("telephony/CarrierFeeds") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const within = yield* makeWithin
      const followed = new Map<AccountSlug, Map<CallId, Feed>>()
      const lookers = yield* FiberMap.make<AccountSlug>()

      /** One query for each account in which this process follows calls. */
      const look = Effect.fnUntraced(
        function* (account: AccountSlug, feeds: ReadonlyMap<CallId, Feed>) {
          const known = new Map<CallId, number>()
          for (const [id, feed] of feeds) known.set(id, (yield* SubscriptionRef.get(feed))?.version ?? 0)
          const rows = yield* within(account)(CarrierCalls.listSince(known))
          yield* Effect.forEach(rows, (row) => update(followed, account, row), { discard: true })
        },
        Effect.timeout(lookLimit),
        Effect.catchCause((cause) => Effect.logWarning("reading carrier reports failed", cause)),
      )
      // An account whose database hangs does not delay the others.
      yield* Effect.suspend(() =>
        Effect.forEach(followed, ([account, feeds]) =>
          FiberMap.run(lookers, account, look(account, feeds), { onlyIfMissing: true }),
        ),
      ).pipe(Effect.repeat(Schedule.spaced(checkEvery)), Effect.forkScoped)

      const follow = (account: AccountSlug, id: CallId) =>
        Effect.acquireRelease(
          Effect.gen(function* () {
            const feed: Feed = yield* SubscriptionRef.make<CarrierCall | null>(null)
            const feeds = followed.get(account) ?? new Map<CallId, Feed>()
            followed.set(account, feeds.set(id, feed))
            return feed
          }),
          () =>
            Effect.sync(() => {
              const feeds = followed.get(account)
              feeds?.delete(id)
              if (feeds?.size === 0) followed.delete(account)
            }),
        )

      return {
        follow,
        within,
        find: (account, id) => within(account)(CarrierCalls.find(id)),
        tell: (account, id, news) =>
          within(account)(CarrierCalls.tell(id, news)).pipe(
            Effect.tap((row) => (row === null ? Effect.void : update(followed, account, row))),
          ),
      }
    }),
  )
}

const makeWithin = Effect.gen(function* () {
  const tenants = yield* TenantDatabases
  const directory = yield* AccountDirectory
  return (account: AccountSlug) =>
    <A, E>(effect: Effect.Effect<A, E, Tenant>) =>
      directory.find(account).pipe(
        // Without the directory's database the account cannot be found either.
        Effect.catchDefect(() => Effect.fail(new AccountUnavailable({ slug: account }))),
        Effect.flatMap(tenants.open),
        Effect.flatMap((tenant) => Effect.provideContext(effect, tenant)),
        Effect.scoped,
      )
})

/** Updates the call's feed with the row, unless the feed already has a later version. */
const update = (
  followed: ReadonlyMap<AccountSlug, ReadonlyMap<CallId, Feed>>,
  account: AccountSlug,
  row: CarrierCall,
) =>
  Effect.suspend(() => {
    const feed = followed.get(account)?.get(row.call_id as CallId)
    return feed === undefined
      ? Effect.void
      : SubscriptionRef.update(feed, (known) => (known === null || known.version < row.version ? row : known))
  })
