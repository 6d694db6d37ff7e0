/**
 * Delivers events to webhooks: at least once, each endpoint at its own pace. One fiber for each account that has
 * deliveries. The database holds the work, so a killed process leaves nothing that another cannot find (decision 0010).
 */
import { Cause, Clock, Config, Effect, Exit, FiberSet, Layer, Option, Queue, Schedule, Semaphore } from "effect"
import type { AccountSlug } from "../domain/Account.ts"
import type { AddressGuard } from "../outbound/AddressGuard.ts"
import { AccountDirectory, type AccountEntry } from "../tenancy/AccountDirectory.ts"
import * as FairSemaphore from "../tenancy/FairSemaphore.ts"
import { TenantDatabases } from "../tenancy/TenantDatabases.ts"
import * as Deliveries from "./Deliveries.ts"
import * as DeliveryMetrics from "./DeliveryMetrics.ts"
import * as EventLog from "./EventLog.ts"
import { EventSignals } from "./EventSignals.ts"
import { WatchedAccounts } from "./WatchedAccounts.ts"
import * as WebhookRequest from "./WebhookRequest.ts"
import * as Webhooks from "./Webhooks.ts"

/** Attempts of this process at the same moment. An account has 100 webhooks at most, so its queue is never full. */
const shares: FairSemaphore.Limits = { what: "webhook deliveries", places: 256, waiting: 1_024 }
const attemptsAtEndpoint = 8
/** An attempt that got no place by then is released; its lease is longer than this plus an attempt. */
const placeWithin = "5 seconds"
/** How soon an event that was committed without a signal to this process is noticed, while the account is tended. */
const pollMs = 1_000
/** How long an account with webhooks is tended after its last event; after that it is only looked at now and then. */
const lingerMs = 60_000
const restMs = 600_000
/** How often a process renews its claim on an account (well within the 15 s of WatchedAccounts). */
const sayEveryMs = 4_000
/** An account without webhooks is not looked at again before this, however many events it writes. */
const askAgainMs = 5_000
const pruneEveryMs = 3_600_000
/** Doubled with each failure in a row. */
const afterFailureMs = { first: 1_000, longest: 30_000 }
/** On shutdown: the longest attempt, and some time to write its result. */
const finishWithin = "20 seconds"

/** One account that is being tended. */
interface Desk {
  readonly account: AccountSlug
  readonly news: Queue.Queue<void>
  /** Deliveries that this process holds, by webhook, and each webhook's permits. */
  readonly busy: Map<string, number>
  readonly permits: Map<string, Semaphore.Semaphore>
  /** Results of attempts that are not yet written. */
  readonly done: Array<Deliveries.Attempted>
  /** It has webhooks, as far as is known. */
  isKnown: boolean
  /** Its webhooks have changed since the last look. */
  isChanged: boolean
  activeAt: number
  saidAt: number
  failures: number
}

export const layer = Layer.effect(
  EventSignals,
  Effect.gen(function* () {
    const retentionDays = yield* Config.Int("PARLEY_EVENT_RETENTION_DAYS").pipe(Config.withDefault(30))
    const directory = yield* AccountDirectory
    const tenants = yield* TenantDatabases
    const watched = yield* WatchedAccounts
    const { withPlace } = yield* FairSemaphore.make(shares)
    const desks = new Map<AccountSlug, Desk>()
    /** When an account may be asked again whether it has webhooks, and when it was last pruned, in milliseconds. */
    const notBefore = new Map<AccountSlug, number>()
    const prunedAt = new Map<AccountSlug, number>()
    let closing = false

    const tenders = yield* FiberSet.make<void>()
    const attempts = yield* FiberSet.make<void>()
    // Attempts in flight are finished and written; waiting ones are left to another process, or to the next start.
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        closing = true
        for (const { news } of desks.values()) Queue.offerUnsafe(news, undefined)
        return FiberSet.awaitEmpty(tenders).pipe(Effect.interruptible, Effect.timeoutOption(finishWithin))
      }),
    )
    const startTender = yield* FiberSet.runtime(tenders)()
    const startAttempt = yield* FiberSet.runtime(attempts)<AddressGuard>()

    const within =
      (entry: AccountEntry) =>
      <A, E, R>(self: Effect.Effect<A, E, R>) =>
        Effect.scoped(Effect.flatMap(tenants.open(entry), (tenant) => Effect.provideContext(self, tenant)))

    const deliver = (
      desk: Desk,
      claim: Deliveries.Claim,
      prepared: Effect.Effect<Deliveries.Attempted, never, AddressGuard>,
    ) =>
      Effect.gen(function* () {
        const own = desk.permits.get(claim.webhook_id) ?? Semaphore.makeUnsafe(attemptsAtEndpoint)
        desk.permits.set(claim.webhook_id, own)
        let hasBegun = false
        const begin = Effect.suspend(() => {
          hasBegun = true
          return prepared
        })
        const patience = Effect.andThen(
          Effect.sleep(placeWithin),
          Effect.suspend(() => (hasBegun ? Effect.never : Effect.succeed(letGo(claim)))),
        )
        // The endpoint's own permit first: an attempt that waits for a slow endpoint takes no place from others.
        const result = yield* begin.pipe(
          withPlace(desk.account),
          Effect.catchTag("ShareFull", () => Effect.succeed(letGo(claim))),
          own.withPermits(1),
          Effect.raceFirst(patience),
        )
        desk.done.push(result)
      }).pipe(
        Effect.catchCause((cause) => Effect.logError("webhook attempt failed by a defect", cause)),
        Effect.ensuring(
          Effect.sync(() => {
            const left = (desk.busy.get(claim.webhook_id) ?? 1) - 1
            if (left === 0) desk.busy.delete(claim.webhook_id)
            else desk.busy.set(claim.webhook_id, left)
            Queue.offerUnsafe(desk.news, undefined)
          }),
        ),
      )

    /** Takes what is due and lets it run. */
    const send = Effect.fnUntraced(function* (desk: Desk) {
      const claims = yield* Deliveries.claim(desk.busy)
      if (claims.length === 0) return 0
      const events = yield* EventLog.listSome(claims.map(({ seq }) => seq))
      for (const claim of claims) {
        const event = events.get(claim.seq)
        const secrets = yield* Webhooks.openSecrets(claim.webhook_id, claim)
        desk.busy.set(claim.webhook_id, (desk.busy.get(claim.webhook_id) ?? 0) + 1)
        const prepared =
          event === undefined ? Effect.succeed(vanished(claim)) : WebhookRequest.attempt(claim, event, secrets)
        startAttempt(deliver(desk, claim, prepared))
      }
      return claims.length
    })

    /** Writes results, fans out events, sends; returns what is due next. */
    const round = Effect.fnUntraced(function* (desk: Desk, now: number) {
      const written = [...desk.done]
      yield* Deliveries.settle(written)
      desk.done.splice(0, written.length)
      yield* DeliveryMetrics.countAttempts(written)
      if (closing) return { webhooks: 1, in_ms: null, moved: false }
      if (now - (prunedAt.get(desk.account) ?? -Infinity) > pruneEveryMs) {
        prunedAt.set(desk.account, now)
        yield* EventLog.prune(retentionDays)
      }
      // Most accounts have no webhooks, and cost one query.
      if (!desk.isKnown && (yield* Deliveries.lookAhead()).webhooks === 0) {
        return { webhooks: 0, in_ms: null, moved: false }
      }
      const more = yield* Deliveries.fanOut()
      const sent = yield* send(desk)
      const { in_ms, webhooks } = yield* Deliveries.lookAhead()
      return { webhooks, in_ms: more ? 0 : in_ms, moved: more || sent > 0 || written.length > 0 }
    })

    /** Milliseconds until the next look; none when the account needs no fiber for now. */
    const look = Effect.fnUntraced(function* (desk: Desk) {
      const now = yield* Clock.currentTimeMillis
      desk.isChanged = false
      const found = yield* Effect.option(directory.find(desk.account))
      if (Option.isNone(found)) {
        desk.done.splice(0)
        return undefined
      }
      const { account, id } = found.value
      if (account.status !== "active") {
        yield* watched.rest(id, restMs)
        return undefined
      }
      const { in_ms, moved, webhooks } = yield* round(desk, now).pipe(within(found.value))
      if (webhooks === 0) {
        notBefore.set(desk.account, now + askAgainMs)
        if (desk.isKnown) yield* watched.forget(id)
        // Further events are no reason to look again at once; a webhook that was created meanwhile is.
        if (!desk.isChanged) yield* Queue.clear(desk.news)
        return undefined
      }
      if (closing) {
        yield* watched.rest(id, 0)
        return undefined
      }
      if (moved) desk.activeAt = now
      const isIdle = desk.busy.size === 0 && desk.done.length === 0
      const due = in_ms ?? Infinity
      if (isIdle && now - desk.activeAt >= lingerMs && due >= lingerMs) {
        yield* watched.rest(id, Math.min(due, restMs))
        return undefined
      }
      if (now - desk.saidAt > sayEveryMs) {
        yield* watched.tending(id)
        desk.saidAt = now
        desk.isKnown = true
      }
      return isIdle ? Math.max(1, Math.min(pollMs, due)) : pollMs
    })

    /** Looks until there is nothing to do. A failure is retried: the database may be away for a moment. */
    const tend = Effect.fnUntraced(function* (desk: Desk) {
      while (true) {
        const looked = yield* Effect.exit(look(desk))
        if (Exit.isFailure(looked)) {
          if (Cause.hasInterrupts(looked.cause)) return yield* Effect.interrupt
          yield* Effect.logWarning("webhook delivery of an account failed; retrying", looked.cause)
          if (closing) return
          yield* Effect.sleep(Math.min(afterFailureMs.longest, afterFailureMs.first * 2 ** desk.failures++))
          continue
        }
        desk.failures = 0
        const wait = looked.value
        const isIdle = desk.busy.size === 0 && desk.done.length === 0
        // Checked and removed in one step, so that no signal comes between.
        if (isIdle && (closing || (wait === undefined && Queue.sizeUnsafe(desk.news) === 0))) {
          desks.delete(desk.account)
          return
        }
        yield* Effect.timeoutOption(Queue.take(desk.news), wait ?? pollMs)
      }
    })

    /** A fiber that was only started to look, and finds no event, ends at once. */
    const start = (account: AccountSlug, isKnown: boolean, hasHappened: boolean) =>
      Effect.gen(function* () {
        const activeAt = hasHappened ? yield* Clock.currentTimeMillis : -Infinity
        const news = yield* Queue.sliding<void>(1)
        const open = desks.get(account)
        if (open !== undefined) {
          open.isKnown ||= isKnown
          open.isChanged ||= isKnown
          open.activeAt = Math.max(open.activeAt, activeAt)
          Queue.offerUnsafe(open.news, undefined)
        } else if (!closing) {
          const desk: Desk = {
            account,
            news,
            busy: new Map(),
            permits: new Map(),
            done: [],
            isKnown,
            isChanged: false,
            activeAt,
            saidAt: 0,
            failures: 0,
          }
          desks.set(account, desk)
          startTender(
            tend(desk).pipe(
              Effect.annotateLogs({ account }),
              Effect.ensuring(Effect.sync(() => desks.get(account) === desk && desks.delete(account))),
            ),
          )
        }
      })

    yield* watched.take.pipe(
      Effect.flatMap((accounts) =>
        Effect.forEach(accounts, (account) => start(account, true, false), { discard: true }),
      ),
      Effect.catchCause((cause) => Effect.logWarning("looking up accounts with webhooks failed", cause)),
      Effect.repeat(Schedule.spaced(pollMs)),
      Effect.forkScoped,
    )

    return {
      written: (account) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          now < (notBefore.get(account) ?? 0) ? Effect.void : start(account, false, true),
        ),
      webhooksChanged: (account) => start(account, true, true),
    }
  }),
).pipe(Layer.provide(WatchedAccounts.layer))

/** The attempt never began, or this process was at fault: it does not count against the endpoint. */
const letGo = (claim: Deliveries.Claim): Deliveries.Attempted => ({
  claim,
  verdict: "let_go",
  status_code: null,
  error: null,
  duration_ms: 0,
  excerpt: null,
  delay_ms: 0,
})

const vanished = (claim: Deliveries.Claim): Deliveries.Attempted => ({
  ...letGo(claim),
  verdict: "failed",
  error: "The event is not kept any more",
})
