/**
 * Delivers events to webhooks at least once, and to each endpoint at its own pace. Each account that has deliveries has
 * one fiber. The database holds the work, so another process can find everything that a killed process leaves (decision
 * 0010).
 */
import { Clock, Effect, Exit, FiberSet, Layer, Queue, Schedule } from "effect"
import type { AccountSlug } from "../domain/Account.ts"
import * as AccountCheck from "./AccountCheck.ts"
import { TendedAccount, pollMs } from "./TendedAccount.ts"
import { EventSignals } from "./EventSignals.ts"
import { WatchedAccounts } from "./WatchedAccounts.ts"

/** The pause after a failed check. It doubles with each consecutive failure, up to `longest`. */
const afterFailureMs = { first: 1_000, longest: 30_000 }
/** How long a shutdown waits: for the longest attempt, and to write its result. */
const finishWithin = "20 seconds"

export const layer = Layer.effect(
  EventSignals,
  Effect.gen(function* () {
    const { isTooSoon, check } = yield* AccountCheck.make
    const watched = yield* WatchedAccounts
    const tendedAccounts = new Map<AccountSlug, TendedAccount>()
    let closing = false

    const tenders = yield* FiberSet.make<void>()
    // Attempts in flight are finished and their results written. Waiting ones are left to another process, or to the
    // next start. This runs before the finalizer of the attempts, which interrupts them.
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        closing = true
        for (const tended of tendedAccounts.values()) {
          tended.isClosing = true
          tended.wake()
        }
        return FiberSet.awaitEmpty(tenders).pipe(Effect.interruptible, Effect.timeoutOption(finishWithin))
      }),
    )
    const startTender = yield* FiberSet.runtime(tenders)()

    /**
     * Starts the account's fiber, or signals the one that runs. A fiber that was started only to check, and finds no
     * event, ends at once.
     */
    const start = Effect.fnUntraced(function* (account: AccountSlug, isKnown: boolean, hasHappened: boolean) {
      const activeAt = hasHappened ? yield* Clock.currentTimeMillis : -Infinity
      const news = yield* Queue.sliding<void>(1)
      const open = tendedAccounts.get(account)
      if (open !== undefined) return open.signal(isKnown, activeAt)
      if (closing) return
      const tended = new TendedAccount(account, news, isKnown, activeAt)
      tendedAccounts.set(account, tended)
      startTender(
        tend(tended, check(tended), () => tendedAccounts.delete(account)).pipe(
          Effect.annotateLogs({ account }),
          Effect.ensuring(Effect.sync(() => tendedAccounts.get(account) === tended && tendedAccounts.delete(account))),
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
 * Repeats `check` until there is nothing to do, and then calls `leave`. A failed check is repeated: the database may be
 * unreachable for a moment. Whether a delivery is retried is decided in DeliveryResults.
 * `check` returns the milliseconds until the next check; undefined if the account needs no fiber for now.
 */
const tend = Effect.fnUntraced(function* <E, R>(
  tended: TendedAccount,
  check: Effect.Effect<number | undefined, E, R>,
  leave: () => void,
) {
  while (true) {
    const checked = yield* Effect.exit(check)
    if (Exit.isFailure(checked)) {
      yield* Effect.logWarning("webhook delivery of an account failed; retrying", checked.cause)
      if (tended.isClosing) return
      yield* Effect.sleep(Math.min(afterFailureMs.longest, afterFailureMs.first * 2 ** tended.failures++))
      continue
    }
    tended.failures = 0
    const wait = checked.value
    // The account is removed in the same synchronous step as this check, so that no signal arrives in between.
    if (tended.isIdle && (tended.isClosing || (wait === undefined && Queue.sizeUnsafe(tended.news) === 0))) {
      return leave()
    }
    yield* Effect.timeoutOption(Queue.take(tended.news), wait ?? pollMs)
  }
})
