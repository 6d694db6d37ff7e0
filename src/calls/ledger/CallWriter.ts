/**
 * Writes what calls report: progress, words and ends. Each account has one writer at a time, which writes in batches:
 * a thousand calls that end together take a few transactions, and an unreachable database delays only its own account.
 * When the process stops, another process recovers the calls whose ends were not written.
 */
import { Clock, Context, Effect, FiberSet, Layer } from "effect"
import { Node } from "../../cluster/Node.ts"
import * as Readings from "../../telemetry/Readings.ts"
import type { CallRecord } from "../../conversation/CallRecord.ts"
import type { AccountSlug } from "../../domain/Account.ts"
import type { CallId } from "../../domain/Call.ts"
import * as CallLog from "./CallLog.ts"
import * as CallWords from "./CallWords.ts"
import { EndQueue } from "./EndQueue.ts"
import * as EndWriter from "./EndWriter.ts"
import * as PersistentWrites from "./PersistentWrites.ts"

/**
 * A statement of progress or words is given up at its first refusal, and its content is dropped, because the end of
 * the call writes everything that matters.
 */
const mostRefusals = 1
/**
 * How long a stopping process waits for its last reports. Another process recovers those that are not written by then.
 */
const flushLimit = "10 seconds"

/** Reports of an account's calls that are not written yet. */
interface Reports {
  readonly progress: Map<CallId, CallLog.Progress>
  readonly words: Map<CallId, CallRecord>
  readonly ends: EndQueue
}

const backlogOf = (pending: ReadonlyMap<AccountSlug, Reports>, clock: Clock.Clock): ReadonlyArray<Readings.Reading> => [
  {
    name: "parley_call_ends_waiting",
    description: "Calls of this process that have ended and whose end is not written yet.",
    read: () => [...pending.values()].reduce((sum, { ends }) => sum + ends.size, 0),
  },
  {
    name: "parley_call_ends_waiting_age_seconds",
    description: "How long ago the call ended that waits longest for its end to be written; 0 if none waits.",
    read: () => {
      const oldest = [...pending.values()].flatMap(({ ends }) => ends.oldest?.getTime() ?? [])
      return oldest.length === 0 ? 0 : (clock.currentTimeMillisUnsafe() - Math.min(...oldest)) / 1_000
    },
  },
]

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
      const node = yield* Node
      const persist = yield* PersistentWrites.make
      const writeEnds = yield* EndWriter.make(persist)
      /** Accounts that have something to write. Each entry has one writer. */
      const pending = new Map<AccountSlug, Reports>()
      yield* Readings.register(backlogOf(pending, yield* Clock.Clock))
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
          if (progressNow.size > 0) yield* persist(account, CallLog.advance(progressNow), mostRefusals)
          if (wordsNow.size > 0) {
            const { added, statement } = CallWords.add(node.id, wordsNow)
            yield* persist(account, statement, mostRefusals)
            // A refused batch is also dropped, because it would be refused again. The live words then stay as they are
            // until the end of the call writes all of them.
            added()
          }
          if (!ends.isEmpty) yield* writeEnds(account, ends)
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
