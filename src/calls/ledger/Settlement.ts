/**
 * Writes what calls report: answers and ends, each account's in batches by one fiber, so that a thousand calls that
 * end together are a few transactions, and one account's lost database holds up nobody else's calls. A report is never
 * dropped: it is tried until it is written, or the account is no more.
 */
import { Cause, Clock, Context, Effect, Exit, FiberSet, Layer, Predicate, Random } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { Node } from "../../cluster/Node.ts"
import { CallRecord } from "../../conversation/CallRecord.ts"
import { AccountNotFound, type AccountSlug, AccountUnavailable } from "../../domain/Account.ts"
import type { CallId } from "../../domain/Call.ts"
import { EventSignals } from "../../events/EventSignals.ts"
import { AccountDirectory } from "../../tenancy/AccountDirectory.ts"
import { TenantDatabases } from "../../tenancy/TenantDatabases.ts"
import * as LiveWords from "../live/LiveWords.ts"
import { AfterCall, type Settle } from "./AfterCall.ts"
import * as AnsweredDays from "./AnsweredDays.ts"
import * as CallLog from "./CallLog.ts"
import * as CallMetrics from "./CallMetrics.ts"

/** Ends in one transaction: its price is one lock of the account's budget, whatever the number. */
const batchSize = 1_000
/** Of those, calls with words: putting 500 into PostgreSQL's format takes 15 to 20 ms, in which nobody else does anything. */
const mostTalks = 500
/** A transaction that hangs is given up and tried again; what it wrote is written once (`CallLog.end`). */
const attemptLimit = "30 seconds"
/** Between attempts: doubled from the first to the last, and jittered, so that accounts do not come back in step. */
const pause = { firstMs: 50, lastMs: 5_000 }
/** A status, or words, that the database refuses are let go: the end brings all that matters. */
const tries = { ofEnds: 3, ofProgress: 1, ofWords: 1 }
/** How long a process that stops waits for its last reports. What is not written then, another process recovers. */
const flushLimit = "10 seconds"

export interface Ending extends CallLog.EndReport {
  readonly account: AccountSlug
  /** Run when the end is written. */
  readonly written: Effect.Effect<void>
}

interface Ledger {
  readonly progress: Map<CallId, CallLog.Progress>
  readonly words: Map<CallId, CallRecord>
  readonly endings: Array<Ending>
}

export class Settlement extends Context.Service<
  Settlement,
  {
    readonly progress: (account: AccountSlug, id: CallId, word: CallLog.Progress) => Effect.Effect<void>
    /** What was said since on calls that live. */
    readonly words: (account: AccountSlug, news: LiveWords.News) => Effect.Effect<void>
    readonly end: (ending: Ending) => Effect.Effect<void>
  }
>()("calls/ledger/Settlement") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const tenants = yield* TenantDatabases
      const directory = yield* AccountDirectory
      const after = yield* AfterCall
      const events = yield* EventSignals
      const countAnswered = yield* AnsweredDays.make
      const node = yield* Node
      /** Accounts that have something to write; each entry has its one writer. */
      const ledgers = new Map<AccountSlug, Ledger>()
      const writers = yield* FiberSet.make<void>()
      yield* Effect.addFinalizer(() =>
        FiberSet.awaitEmpty(writers).pipe(Effect.interruptible, Effect.timeoutOption(flushLimit)),
      )
      const start = yield* FiberSet.runtime(writers)()

      /** The entry first, the writer then: it ends when it finds none. */
      const report = (account: AccountSlug, enter: (ledger: Ledger) => void) =>
        Effect.sync(() => {
          const open = ledgers.get(account)
          if (open !== undefined) return enter(open)
          const ledger: Ledger = { progress: new Map(), words: new Map(), endings: [] }
          enter(ledger)
          ledgers.set(account, ledger)
          start(writer(account, ledger))
        })

      const writer = Effect.fnUntraced(function* (account: AccountSlug, ledger: Ledger) {
        while (true) {
          const progress = new Map(ledger.progress)
          ledger.progress.clear()
          const words = new Map(ledger.words)
          ledger.words.clear()
          if (ledger.endings.length === 0 && progress.size === 0 && words.size === 0)
            return void ledgers.delete(account)
          // The word before the last is of no interest, and the end brings all that was said.
          for (const { call } of ledger.endings) {
            progress.delete(call.id)
            words.delete(call.id)
          }
          if (progress.size > 0) yield* persist(account, CallLog.advance(progress), tries.ofProgress)
          if (words.size > 0) {
            const { added, statement } = LiveWords.adding(node.id, words)
            yield* persist(account, statement, tries.ofWords)
            added()
          }
          if (ledger.endings.length > 0) yield* write(account, ledger, batchFrom(ledger))
        }
      })

      const settlingIn = (account: AccountSlug) => (campaigns: ReadonlyArray<string>) =>
        Effect.map(
          after.settling(account, campaigns),
          (settle): Settle =>
            (ended) =>
              Effect.andThen(settle(ended), countAnswered(account, ended)),
        )

      /**
       * A batch with a report in it that the database refuses is taken apart, so that the others are written; the one
       * goes on without what was said in it, to the end of the line: its slot must come back in any case.
       */
      const write = (account: AccountSlug, ledger: Ledger, { endings, fill }: Batch): Effect.Effect<void> =>
        Effect.flatMap(persist(account, CallLog.end(node.id, fill, settlingIn(account)), tries.ofEnds), (done) => {
          // Of an account that is no more nobody has asked for them.
          const all = done && endings.length === 0 ? fill() : endings
          return done
            ? // Whoever has the budget now goes on first.
              Effect.yieldNow.pipe(
                Effect.andThen(CallMetrics.ended(all.map(({ end }) => end.outcome))),
                Effect.andThen(events.written(account)),
                Effect.catchCause((cause) => Effect.logError("what follows after calls failed", cause)),
                Effect.andThen(Effect.forEach(all, ({ written }) => written, { discard: true })),
              )
            : all.length > 1
              ? Effect.forEach(all, (ending) => write(account, ledger, batchOf(ending)), { discard: true })
              : Effect.sync(() => void ledger.endings.push(...all.map(bare)))
        })

      /** Tries until it is written; false when the database has understood and refused it that many times. */
      const persist = Effect.fnUntraced(function* (
        account: AccountSlug,
        statement: Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient>,
        mostRefusals: number,
      ) {
        let refusals = 0
        for (let wait = pause.firstMs; ; wait = Math.min(wait * 2, pause.lastMs)) {
          const written = yield* directory.find(account).pipe(
            Effect.flatMap(tenants.open),
            Effect.flatMap((tenant) => Effect.provideContext(Effect.asVoid(statement), tenant)),
            Effect.scoped,
            Effect.timeout(attemptLimit),
            Effect.exit,
          )
          if (Exit.isSuccess(written)) return true
          const errors = written.cause.reasons.map((reason) =>
            reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined,
          )
          if (errors.some((error) => error instanceof AccountNotFound)) {
            yield* Effect.annotateLogs(Effect.logWarning("calls ended of an account that is no more"), { account })
            return true
          }
          yield* Effect.logWarning("what calls report could not be written; trying again", written.cause).pipe(
            Effect.annotateLogs({ account }),
          )
          if (!errors.every(isPassing) && ++refusals >= mostRefusals) return false
          yield* Effect.sleep(wait * (yield* Random.nextBetween(0.5, 1)))
        }
      })

      return {
        progress: (account, id, word) => report(account, ({ progress }) => void progress.set(id, word)),
        words: (account, news) =>
          report(account, ({ words }) => {
            for (const [id, record] of news) words.set(id, record)
          }),
        end: (ending) => report(ending.account, ({ endings }) => void endings.push(ending)),
      }
    }),
  )
}

/** Ends that are written together, asked for when they are (`CallLog.end`) and then kept. */
interface Batch {
  readonly endings: ReadonlyArray<Ending>
  readonly fill: () => ReadonlyArray<Ending>
}

const batchFrom = (ledger: Ledger): Batch => {
  const endings: Array<Ending> = []
  const fill = () => {
    let talks = endings.filter(hasWords).length
    const { endings: waiting } = ledger
    const rest = waiting.findIndex(
      (ending, at) => endings.length + at === batchSize || (hasWords(ending) && ++talks > mostTalks),
    )
    endings.push(...waiting.splice(0, rest === -1 ? waiting.length : rest))
    return endings
  }
  return { endings, fill }
}

const hasWords = ({ record }: Ending): boolean => record.answered_at !== null

const batchOf = (ending: Ending): Batch => ({ endings: [ending], fill: () => [ending] })

/** No connection, no time, a lock: the database's moment. What it understood and refused, it may refuse again. */
const isPassing = (error: unknown): boolean => {
  if (error instanceof AccountUnavailable || Cause.isTimeoutError(error)) return true
  if (!SqlError.isSqlError(error)) return false
  const { cause } = error.reason
  const code = Predicate.hasProperty(cause, "code") ? String(cause.code) : ""
  // 22: the data; 23: constraints; 42: the statement itself; P0: raised by a trigger.
  return !/^(?:22|23|42|P0)/.test(code)
}

const bare = (ending: Ending): Ending => {
  const record = new CallRecord()
  record.answered_at = ending.record.answered_at
  record.words_in_row = true
  record.opted_out = ending.record.opted_out
  return { ...ending, record }
}

export const ending = (
  account: AccountSlug,
  report: Omit<CallLog.EndReport, "ended_at">,
  written: Effect.Effect<void>,
) => Effect.map(Clock.currentTimeMillis, (now): Ending => ({ ...report, account, written, ended_at: new Date(now) }))
