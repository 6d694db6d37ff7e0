/**
 * Looks for lost calls: after a process has died, in the accounts in which it may have had calls, and otherwise in
 * those in which this process has calls, because it may have lost some itself. The process that owns a dead process's
 * id in the cluster inherits its accounts.
 */
import { Clock, Effect, Layer, Option, Schedule } from "effect"
import { Cluster } from "../../cluster/Cluster.ts"
import { Node } from "../../cluster/Node.ts"
import * as Sweeps from "../../telemetry/Sweeps.ts"
import { AccountDirectory, type AccountEntry } from "../../tenancy/AccountDirectory.ts"
import { BackOff } from "../../tenancy/BackOff.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import * as ChatRows from "../ledger/ChatRows.ts"
import { ToolRequests } from "../requests/ToolRequests.ts"
import { CallRecovery } from "./CallRecovery.ts"
import { InAccount } from "./InAccount.ts"
import { LiveCalls } from "./LiveCalls.ts"

/** How often this process looks for dead processes. Their calls hold slots that could be used for dialling. */
const checkEvery = "1 second"
/**
 * How often this process's own accounts are swept, those whose sweep failed, those with conversations in writing
 * that wait for their page, and those with requests of tools that are not settled.
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
    const inherit = yield* makeInherit
    const requests = yield* ToolRequests
    let sweptAt = Number.NEGATIVE_INFINITY
    /** Accounts whose sweep failed. If this process dies, the one that inherits its accounts sweeps them. */
    const unswept = new BackOff(sweepEveryMs, longestPauseMs)
    /** Accounts in which conversations without a process wait for their page; they are settled when that is over. */
    const waiting = new Set<string>()

    const findEach = Effect.fnUntraced(function* (slugs: ReadonlyArray<string>) {
      const entries: Array<AccountEntry> = []
      for (const slug of new Set(slugs)) {
        const entry = yield* directory.findServed(slug)
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
        // The account still has calls of dead processes or open requests of tools, so it stays noted for this process.
        if (unswept.has(slug) || waiting.has(slug) || requests.unsettled().has(slug))
          yield* Effect.provideService(node.enter, CurrentTenant, entry)
      })
      yield* Effect.forEach(entries, sweepOne, { concurrency: accountsAtOnce, discard: true })
    })

    const look = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const inherited = yield* inherit
      if (inherited.length > 0) yield* sweep(inherited, now)
      if (now - sweptAt < sweepEveryMs) return
      sweptAt = now
      yield* sweep(
        yield* findEach([...(yield* live.recentAccounts), ...unswept.due(now), ...waiting, ...requests.unsettled()]),
        now,
      )
      yield* node.leaveAccounts(new Set(Array.from(live.all.values(), ({ tenant }) => tenant.id)))
    })

    yield* look.pipe(
      Sweeps.measure("calls"),
      Effect.catchCause((cause) => Effect.logWarning("call recovery failed; retrying", cause)),
      Effect.repeat(Schedule.spaced(checkEvery)),
      Effect.forkScoped,
    )
  }),
)

/**
 * Returns an effect that inherits the dead processes whose ids this process owns, and returns the accounts in which they
 * may have left calls.
 */
const makeInherit = Effect.gen(function* () {
  const cluster = yield* Cluster
  const directory = yield* AccountDirectory
  const node = yield* Node
  return Effect.gen(function* () {
    const departed = (yield* node.findDeparted).filter(cluster.owns)
    if (departed.length === 0) return []
    const ids = yield* node.inherit(departed)
    yield* node.forget(departed)
    return (yield* Effect.forEach(ids, directory.findById)).flatMap(Option.toArray)
  })
})

/** Recovers the lost calls of an account. Returns whether that succeeded. */
const trySweep = <E>(account: string, recover: Effect.Effect<number, E>) =>
  recover.pipe(
    Effect.timeout(accountLimit),
    Effect.tap((calls) =>
      calls === 0
        ? Effect.void
        : Effect.annotateLogs(Effect.logInfo("took over calls that no process conducted"), { calls }),
    ),
    Effect.as(true),
    Effect.catchCause((cause) => Effect.as(Effect.logWarning("call recovery sweep failed", cause), false)),
    Effect.annotateLogs({ account }),
  )
