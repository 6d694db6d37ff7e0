/**
 * Writes what calls report: progress, words and ends. Each account has one writer at a time, which writes in batches, so
 * that a thousand calls that end together are a few transactions, and an account whose database is away delays no other.
 * An end is never dropped. Ends that the database refuses are tried one by one; one that is refused again is written
 * without its words. When the process stops, another one recovers the calls whose ends are not written.
 */
import { Cause, Clock, Context, Effect, Exit, FiberSet, Layer, Predicate, Random } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { Node } from "../../cluster/Node.ts"
import type { CallRecord } from "../../conversation/CallRecord.ts"
import { AccountNotFound, type AccountSlug, AccountUnavailable } from "../../domain/Account.ts"
import type { CallId } from "../../domain/Call.ts"
import { EventSignals } from "../../events/EventSignals.ts"
import { AccountDirectory } from "../../tenancy/AccountDirectory.ts"
import { TenantDatabases } from "../../tenancy/TenantDatabases.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import { AfterCall } from "./AfterCall.ts"
import * as AnsweredDays from "./AnsweredDays.ts"
import * as CallLog from "./CallLog.ts"
import * as CallMetrics from "./CallMetrics.ts"
import * as CallWords from "./CallWords.ts"
import { endBatch } from "./EndBatch.ts"
import { EndQueue, type Ending, withoutWords } from "./EndQueue.ts"

/** A transaction that hangs is cancelled and retried. Its effects are written once (`CallLog.end`). */
const attemptLimit = "30 seconds"
/** Between attempts: doubled from the first to the last, and jittered, so that accounts do not come back in step. */
const pause = { firstMs: 50, lastMs: 5_000 }
/** The writer gives up a statement at so many refusals. Progress and words are then dropped: the end brings all that matters. */
const mostRefusals = { ofEnds: 3, ofProgress: 1, ofWords: 1 }
/**
 * How long a stopping process waits for its last reports. Another process recovers those that are not written by then.
 */
const flushLimit = "10 seconds"

/** The result of a statement. `refused`: the database would refuse it again. */
type Attempted = "written" | "refused" | "account deleted"

/** Reports of an account's calls that are not written yet. */
interface Reports {
  readonly progress: Map<CallId, CallLog.Progress>
  readonly words: Map<CallId, CallRecord>
  readonly ends: EndQueue
}

export class CallWriter extends Context.Service<
  CallWriter,
  {
    readonly progress: (account: AccountSlug, id: CallId, progress: CallLog.Progress) => Effect.Effect<void>
    /** New words of live calls. */
    readonly words: (account: AccountSlug, news: CallWords.News) => Effect.Effect<void>
    /** Returns at once; `written` runs when the end is written. */
    readonly end: (
      account: AccountSlug,
      report: Omit<CallLog.EndReport, "ended_at">,
      written: Effect.Effect<void>,
    ) => Effect.Effect<void>
  }
>()("calls/ledger/CallWriter") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const tenants = yield* TenantDatabases
      const directory = yield* AccountDirectory
      const after = yield* AfterCall
      const events = yield* EventSignals
      const countAnswered = yield* AnsweredDays.make
      const node = yield* Node
      /** Accounts that have something to write. Each entry has one writer. */
      const pending = new Map<AccountSlug, Reports>()
      const writers = yield* FiberSet.make<void>()
      yield* Effect.addFinalizer(() =>
        FiberSet.awaitEmpty(writers).pipe(Effect.interruptible, Effect.timeoutOption(flushLimit)),
      )
      const start = yield* FiberSet.runtime(writers)()

      /** The entry is made before its writer starts: a writer without an entry ends. */
      const report = (account: AccountSlug, enter: (reports: Reports) => void) =>
        Effect.sync(() => {
          const open = pending.get(account)
          if (open !== undefined) return enter(open)
          const reports: Reports = { progress: new Map(), words: new Map(), ends: new EndQueue() }
          enter(reports)
          pending.set(account, reports)
          start(write(account, reports))
        })

      const write = Effect.fnUntraced(function* (account: AccountSlug, { ends, progress, words }: Reports) {
        while (true) {
          const progressNow = new Map(progress)
          progress.clear()
          const wordsNow = new Map(words)
          words.clear()
          if (ends.isEmpty && progressNow.size === 0 && wordsNow.size === 0) return void pending.delete(account)
          // An end replaces the call's progress, and contains all its words.
          for (const { call } of ends.all()) {
            progressNow.delete(call.id)
            wordsNow.delete(call.id)
          }
          if (progressNow.size > 0) yield* persist(account, CallLog.advance(progressNow), mostRefusals.ofProgress)
          if (wordsNow.size > 0) {
            const { added, statement } = CallWords.adding(node.id, wordsNow)
            yield* persist(account, statement, mostRefusals.ofWords)
            // Also after a refusal, which would be repeated: the live words then stand still until the end brings all of them.
            added()
          }
          if (!ends.isEmpty) yield* writeEnds(account, ends)
        }
      })

      const endTaken = (account: AccountSlug, take: () => ReadonlyArray<Ending>) =>
        transaction(
          Effect.flatMap(endBatch({ node: node.id, account, after, take }), (ended) => countAnswered(account, ended)),
        ).pipe(Effect.withSpan("CallWriter.end"))

      const writeEnds = Effect.fnUntraced(function* (account: AccountSlug, ends: EndQueue) {
        const attempted = yield* persist(
          account,
          endTaken(account, () => ends.take()),
          mostRefusals.ofEnds,
        )
        switch (attempted) {
          case "written":
            return yield* follow(account, ends.takeOut())
          case "account deleted":
            // No transaction has begun, so nothing was taken.
            ends.take()
            return yield* follow(account, ends.takeOut())
          case "refused":
            // One by one, so that the others are written.
            return yield* Effect.forEach(ends.takeOut(), (ending) => writeAlone(account, ends, ending), {
              discard: true,
            })
        }
      })

      /** An end that the database refuses goes back to the queue without its words: its slot must come back in any case. */
      const writeAlone = Effect.fnUntraced(function* (account: AccountSlug, ends: EndQueue, ending: Ending) {
        const attempted = yield* persist(
          account,
          endTaken(account, () => [ending]),
          mostRefusals.ofEnds,
        )
        if (attempted === "refused") return ends.add(withoutWords(ending))
        yield* follow(account, [ending])
      })

      const follow = (account: AccountSlug, written: ReadonlyArray<Ending>) =>
        // A dialler that waits for the budget's lock runs before this: the slots that these ends free are for it.
        Effect.yieldNow.pipe(
          Effect.andThen(CallMetrics.countEnds(written.map(({ end }) => end.outcome))),
          Effect.andThen(events.written(account)),
          Effect.catchCause((cause) => Effect.logError("post-call hook failed", cause)),
          Effect.andThen(Effect.forEach(written, (ending) => ending.written, { discard: true })),
        )

      /** Tries until the statement is written, refused so many times, or without an account. */
      const persist = Effect.fnUntraced(function* (
        account: AccountSlug,
        statement: Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient>,
        refusalsAllowed: number,
      ) {
        let refusals = 0
        for (let wait = pause.firstMs; ; wait = Math.min(wait * 2, pause.lastMs)) {
          const exit = yield* directory.find(account).pipe(
            Effect.flatMap(tenants.open),
            Effect.flatMap((tenant) => Effect.provideContext(Effect.asVoid(statement), tenant)),
            Effect.scoped,
            Effect.timeout(attemptLimit),
            Effect.exit,
          )
          if (Exit.isSuccess(exit)) return "written" satisfies Attempted
          const errors = exit.cause.reasons.map((reason) =>
            reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined,
          )
          if (errors.some((error) => error instanceof AccountNotFound)) {
            yield* Effect.annotateLogs(Effect.logWarning("calls ended after their account was deleted"), { account })
            return "account deleted" satisfies Attempted
          }
          yield* Effect.logWarning("call reports could not be written; retrying", exit.cause).pipe(
            Effect.annotateLogs({ account }),
          )
          if (!errors.every(isTransient) && ++refusals >= refusalsAllowed) return "refused" satisfies Attempted
          yield* Effect.sleep(wait * (yield* Random.nextBetween(0.5, 1)))
        }
      })

      return {
        progress: (account, id, latest) => report(account, ({ progress }) => void progress.set(id, latest)),
        words: (account, news) =>
          report(account, ({ words }) => {
            for (const [id, record] of news) words.set(id, record)
          }),
        end: (account, ended, written) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            report(account, ({ ends }) => ends.add({ ...ended, ended_at: new Date(now), written })),
          ),
      }
    }),
  )
}

/** No connection, a timeout, a lock: it may pass. A statement that the database refused may be refused again. */
const isTransient = (error: unknown): boolean => {
  if (error instanceof AccountUnavailable || Cause.isTimeoutError(error)) return true
  if (!SqlError.isSqlError(error)) return false
  const { cause } = error.reason
  const code = Predicate.hasProperty(cause, "code") ? String(cause.code) : ""
  // 22: the data; 23: constraints; 42: the statement itself; P0: raised by a trigger.
  return !/^(?:22|23|42|P0)/.test(code)
}
