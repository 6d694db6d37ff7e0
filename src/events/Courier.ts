/**
 * Delivers events to webhooks at least once, and to each endpoint at its own pace. Each account that has deliveries has
 * one fiber. The database holds the work, so another process can find everything that a killed process leaves (decision
 * 0010).
 */
import { Clock, Effect, Exit, FiberSet, Layer, Queue, Schedule } from "effect"
import type { AccountSlug } from "../domain/Account.ts"
import * as AccountLook from "./AccountLook.ts"
import { Desk, pollMs } from "./Desk.ts"
import { EventSignals } from "./EventSignals.ts"
import { WatchedAccounts } from "./WatchedAccounts.ts"

/** The pause after a failed look. It doubles with each consecutive failure, up to `longest`. */
const afterFailureMs = { first: 1_000, longest: 30_000 }
/** How long a shutdown waits: for the longest attempt, and to write its result. */
const finishWithin = "20 seconds"

export const layer = Layer.effect(
  EventSignals,
  Effect.gen(function* () {
    const { isTooSoon, look } = yield* AccountLook.make
    const watched = yield* WatchedAccounts
    const desks = new Map<AccountSlug, Desk>()
    let closing = false

    const tenders = yield* FiberSet.make<void>()
    // Attempts in flight are finished and their results written. Waiting ones are left to another process, or to the
    // next start. This runs before the finalizer of the attempts, which interrupts them.
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        closing = true
        for (const desk of desks.values()) {
          desk.isClosing = true
          desk.wake()
        }
        return FiberSet.awaitEmpty(tenders).pipe(Effect.interruptible, Effect.timeoutOption(finishWithin))
      }),
    )
    const startTender = yield* FiberSet.runtime(tenders)()

    /**
     * Starts the account's fiber, or signals the one that runs. A fiber that was started only to look, and finds no
     * event, ends at once.
     */
    const start = Effect.fnUntraced(function* (account: AccountSlug, isKnown: boolean, hasHappened: boolean) {
      const activeAt = hasHappened ? yield* Clock.currentTimeMillis : -Infinity
      const news = yield* Queue.sliding<void>(1)
      const open = desks.get(account)
      if (open !== undefined) return open.signal(isKnown, activeAt)
      if (closing) return
      const desk = new Desk(account, news, isKnown, activeAt)
      desks.set(account, desk)
      startTender(
        tend(desk, look(desk), () => desks.delete(account)).pipe(
          Effect.annotateLogs({ account }),
          Effect.ensuring(Effect.sync(() => desks.get(account) === desk && desks.delete(account))),
        ),
      )
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
          isTooSoon(account, now) ? Effect.void : start(account, false, true),
        ),
      webhooksChanged: (account) => start(account, true, true),
    }
  }),
).pipe(Layer.provide(WatchedAccounts.layer))

/**
 * Looks until there is nothing to do, and then leaves. A failed look is repeated: the database may be away for a
 * moment. Whether a delivery is retried is decided in DeliveryResults.
 * `look` returns the milliseconds until the next look; undefined if the account needs no fiber for now.
 */
const tend = Effect.fnUntraced(function* <E, R>(
  desk: Desk,
  look: Effect.Effect<number | undefined, E, R>,
  leave: () => void,
) {
  while (true) {
    const looked = yield* Effect.exit(look)
    if (Exit.isFailure(looked)) {
      yield* Effect.logWarning("webhook delivery of an account failed; retrying", looked.cause)
      if (desk.isClosing) return
      yield* Effect.sleep(Math.min(afterFailureMs.longest, afterFailureMs.first * 2 ** desk.failures++))
      continue
    }
    desk.failures = 0
    const wait = looked.value
    // The desk is removed in the same synchronous step as this check, so that no signal arrives in between.
    if (desk.isIdle && (desk.isClosing || (wait === undefined && Queue.sizeUnsafe(desk.news) === 0))) {
      return leave()
    }
    yield* Effect.timeoutOption(Queue.take(desk.news), wait ?? pollMs)
  }
})
