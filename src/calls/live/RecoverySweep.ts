/**
 * Looks for lost calls: in every account after a process has died, and otherwise in the accounts in which this process
 * has calls, because it may have lost some itself.
 */
import { Clock, Effect, Layer, Option, Schedule } from "effect"
import { Node } from "../../cluster/Node.ts"
import * as Sweeps from "../../telemetry/Sweeps.ts"
import { AccountDirectory, type AccountEntry } from "../../tenancy/AccountDirectory.ts"
import { BackOff } from "../../tenancy/BackOff.ts"
import * as ChatRows from "../ledger/ChatRows.ts"
import { CallRecovery } from "./CallRecovery.ts"
import { InAccount } from "./InAccount.ts"
import { LiveCalls } from "./LiveCalls.ts"

/** How often this process looks for dead processes. Their calls hold slots that could be used for dialling. */
const lookEvery = "1 second"
/**
 * How often this process's own accounts are swept, those whose sweep failed, and those with conversations in writing
 * that wait for their page.
 */
const sweepEveryMs = 10_000
/** The longest pause before the sweep of an account is repeated; doubled with each failure in a row. */
const longestPauseMs = 60_000
/** How many accounts are swept at once. Each opens a database. */
const accountsAtOnce = 4
/** The sweep of one account has a limit, so that it does not delay the others. */
const accountLimit = "30 seconds"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const directory = yield* AccountDirectory
    const inAccount = yield* InAccount
    const live = yield* LiveCalls
    const node = yield* Node
    const { recover } = yield* CallRecovery
    let sweptAt = Number.NEGATIVE_INFINITY
    /** Accounts whose sweep failed. They are only in memory: if this process dies, the others sweep every account. */
    const unswept = new BackOff(sweepEveryMs, longestPauseMs)
    /** Accounts in which conversations without a process wait for their page; they are settled when that is over. */
    const waiting = new Set<string>()

    const findEach = Effect.fnUntraced(function* (slugs: ReadonlyArray<string>) {
      const entries: Array<AccountEntry> = []
      for (const slug of new Set(slugs)) {
        const entry = yield* Effect.option(directory.find(slug))
        if (Option.isSome(entry)) entries.push(entry.value)
        else {
          unswept.succeed(slug)
          waiting.delete(slug)
        }
      }
      return entries
    })

    const sweep = Effect.fnUntraced(function* (entries: ReadonlyArray<AccountEntry>, now: number) {
      const sweepOne = Effect.fnUntraced(function* (entry: AccountEntry) {
        const { slug } = entry.account
        const recoverAll = Effect.gen(function* () {
          const settled = yield* recover
          if (yield* Effect.orDie(ChatRows.anyWaits)) waiting.add(slug)
          else waiting.delete(slug)
          return settled
        })
        if (yield* trySweep(slug, inAccount(entry)(recoverAll))) unswept.succeed(slug)
        else unswept.fail(slug, now)
      })
      yield* Effect.forEach(entries, sweepOne, { concurrency: accountsAtOnce, discard: true })
    })

    const look = Effect.gen(function* () {
      const departed = yield* node.takeDeparted
      const now = yield* Clock.currentTimeMillis
      if (departed.length > 0) {
        sweptAt = now
        yield* sweep(yield* directory.all, now)
        // Done even if the sweep of some accounts failed: an account that cannot be opened must not cause sweeps of all
        // others.
        return yield* node.forget(departed)
      }
      if (now - sweptAt < sweepEveryMs) return
      sweptAt = now
      yield* sweep(yield* findEach([...(yield* live.recentAccounts), ...unswept.due(now), ...waiting]), now)
    })

    yield* look.pipe(
      Sweeps.measure("calls"),
      Effect.catchCause((cause) => Effect.logWarning("call recovery failed; retrying", cause)),
      Effect.repeat(Schedule.spaced(lookEvery)),
      Effect.forkScoped,
    )
  }),
)

/** Recovers the lost calls of an account. Returns whether that succeeded. */
const trySweep = <E>(account: string, recover: Effect.Effect<number, E>) =>
  recover.pipe(
    Effect.timeout(accountLimit),
    Effect.tap((calls) =>
      calls === 0
        ? Effect.void
        : Effect.annotateLogs(Effect.logInfo("settled calls that no process conducted"), { calls }),
    ),
    Effect.as(true),
    Effect.catchCause((cause) => Effect.as(Effect.logWarning("call recovery sweep failed", cause), false)),
    Effect.annotateLogs({ account }),
  )
