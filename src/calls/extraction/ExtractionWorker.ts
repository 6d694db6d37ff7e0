/**
 * Reads the results of ended calls from their transcripts, one fiber for each account that owes some. The database holds
 * the work: a process that dies leaves its rows to the next one, which finds them when it settles the dead process's
 * calls (`CallRecovery`).
 */
import { Clock, Effect, Exit, FiberMap, FiberSet, Layer, Option, Queue, Random } from "effect"
import { OutcomeReader, type OutcomeReading, OutcomeUnread } from "../../brain/outcome/OutcomeReader.ts"
import { fieldsOf, saidIn, valuesOf } from "../../brain/outcome/OutcomeQuestion.ts"
import { Node } from "../../cluster/Node.ts"
import type { AccountSlug } from "../../domain/Account.ts"
import { dispositionIn, schemaWith, withoutDisposition } from "../../domain/DispositionField.ts"
import { EventSignals } from "../../events/EventSignals.ts"
import { AccountDirectory, type AccountEntry } from "../../tenancy/AccountDirectory.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import * as FairSemaphore from "../../tenancy/FairSemaphore.ts"
import { AfterCall } from "../ledger/AfterCall.ts"
import { InAccount } from "../live/InAccount.ts"
import * as ExtractionMetrics from "./ExtractionMetrics.ts"
import * as ExtractionRows from "./ExtractionRows.ts"
import { ExtractionSignals } from "./ExtractionSignals.ts"

/** The most questions to models at the same time. Accounts share them, so that none waits for another's campaign. */
const shares = { what: "extractions", places: 8, waiting: 4 }
/**
 * The most extractions of an account that this process makes at the same time, including those that wait for a place.
 */
const mostOfAccount = 4
/** After the last attempt, an extraction has failed. The pause before each retry is four times the one before. */
const mostAttempts = 5
const firstRetryMs = 10_000
/** The pause after a failure, for example because the account's database cannot be reached. */
const afterFailure = { firstMs: 1_000, longestMs: 60_000 }
/** The longest pause before an account's rows are read again, if no hint comes. */
const longestWaitMs = 60_000
/** How often a suspended account is checked for being active again. */
const whileSuspendedMs = 10_000

export const layer = Layer.effect(
  ExtractionSignals,
  Effect.gen(function* () {
    const extractNext = yield* makeExtractor
    const findDue = yield* makeFindDue
    const hintsOf = new Map<AccountSlug, Queue.Queue<void>>()
    // Fibers run in the layer's own context: they must not inherit the transaction of the fiber that gave the hint.
    const start = yield* FiberMap.runtime(yield* FiberMap.make<AccountSlug>())()

    /** Extracts until nothing is due. An extraction that was begun and failed is due again after its lease. */
    const extractAll = (entry: AccountEntry) =>
      Effect.repeat(extractNext(entry), { while: (more) => more }).pipe(
        Effect.catchCause((cause) =>
          Effect.andThen(
            Effect.logWarning("extraction of a result failed; retrying", cause),
            Effect.sleep(afterFailure.firstMs),
          ),
        ),
      )

    const tend = Effect.fnUntraced(function* (account: AccountSlug, hints: Queue.Queue<void>) {
      const lanes = yield* FiberSet.make<void>()
      let pauseMs = afterFailure.firstMs
      while (true) {
        yield* Queue.clear(hints)
        const found = yield* Effect.exit(findDue(account))
        if (Exit.isFailure(found)) {
          yield* Effect.logWarning("looking for extractions failed; retrying", found.cause)
          yield* Effect.sleep(pauseMs)
          pauseMs = Math.min(pauseMs * 2, afterFailure.longestMs)
          continue
        }
        if (found.value === undefined) return
        const { entry, in_ms } = found.value
        if (entry.account.status !== "active") yield* FiberSet.clear(lanes)
        pauseMs = afterFailure.firstMs
        const isDue = in_ms !== null && in_ms <= 0
        const free = isDue ? mostOfAccount - (yield* FiberSet.size(lanes)) : 0
        // A lane that ends wakes this fiber.
        const lane = Effect.ensuring(
          Effect.asVoid(extractAll(entry)),
          Effect.sync(() => Queue.offerUnsafe(hints, undefined)),
        )
        for (let count = 0; count < free; count++) yield* FiberSet.run(lanes, lane)
        const isOver = in_ms === null && (yield* FiberSet.size(lanes)) === 0
        // The entry is removed in the same synchronous step as this check, so that no hint arrives in between.
        if (isOver && Queue.sizeUnsafe(hints) === 0) return void hintsOf.delete(account)
        yield* Effect.timeoutOption(
          Queue.take(hints),
          Math.min(isDue ? longestWaitMs : (in_ms ?? longestWaitMs), longestWaitMs),
        )
      }
    }, Effect.scoped)

    return {
      wake: Effect.fnUntraced(function* (account) {
        const open = hintsOf.get(account)
        if (open !== undefined) return void Queue.offerUnsafe(open, undefined)
        const hints = yield* Queue.sliding<void>(1)
        hintsOf.set(account, hints)
        const leave = Effect.sync(() => hintsOf.get(account) === hints && hintsOf.delete(account))
        start(account, tend(account, hints).pipe(Effect.annotateLogs({ account }), Effect.ensuring(leave)))
      }),
    }
  }),
)

/**
 * Returns the function that reads when an account's next extraction is due. `in_ms` is null if the account owes none;
 * while the account is suspended, it is the time until the next check. Undefined if the account was deleted or belongs
 * to another cell.
 */
const makeFindDue = Effect.gen(function* () {
  const directory = yield* AccountDirectory
  const inAccount = yield* InAccount
  const node = yield* Node
  return Effect.fnUntraced(function* (account: AccountSlug) {
    const found = yield* directory.findServed(account)
    if (Option.isNone(found)) return undefined
    const entry = found.value
    // Keeps the account noted for this process, so that the process that inherits its accounts finds the extractions
    // that it leaves.
    yield* Effect.provideService(node.enter, CurrentTenant, entry)
    const isActive = entry.account.status === "active"
    return { entry, in_ms: isActive ? yield* inAccount(entry)(ExtractionRows.nextDue()) : whileSuspendedMs }
  })
})

/**
 * Returns the function that takes one extraction of an account and carries it out. That function returns whether one
 * was due.
 */
const makeExtractor = Effect.gen(function* () {
  const events = yield* EventSignals
  const inAccount = yield* InAccount
  const reader = yield* OutcomeReader
  const places = yield* FairSemaphore.make(shares)
  const after = yield* AfterCall

  const extract = Effect.fnUntraced(function* (entry: AccountEntry, owed: ExtractionRows.Owed) {
    const { account } = entry
    const { cost, result } = yield* read(reader, entry, owed)
    const conclusion = yield* conclusionOf(owed, result)
    const isWritten = yield* inAccount(entry)(
      ExtractionRows.conclude(owed, conclusion, cost, { account: account.slug, after }),
    )
    if (result instanceof OutcomeUnread) {
      yield* Effect.logWarning("the result of a call was not read from its transcript").pipe(
        Effect.annotateLogs({ call: owed.call_id, attempt: owed.attempts, reason: result.reason, why: result.detail }),
      )
    }
    if (!isWritten || conclusion.state === "pending") return
    yield* ExtractionMetrics.countEnded(conclusion.state)
    yield* events.written(account.slug)
  })

  const extractNext = Effect.fnUntraced(function* (entry: AccountEntry) {
    const owed = yield* inAccount(entry)(ExtractionRows.take())
    if (owed === undefined) return false
    yield* Effect.onInterrupt(extract(entry, owed), () => inAccount(entry)(ExtractionRows.release(owed)))
    return true
  })

  // The lease begins when the place is free.
  return (entry: AccountEntry) => places.withPlace(entry.account.slug)(extractNext(entry))
})

const unreadWithoutCost = (reason: OutcomeUnread["reason"], detail: string): OutcomeReading => ({
  result: new OutcomeUnread({ reason, isTransient: false, detail }),
  cost: 0,
})

const read = (reader: OutcomeReader["Service"], entry: AccountEntry, owed: ExtractionRows.Owed) => {
  const { attempts, dispositions, model, outcome_schema, prompts, started_at: at, transcript } = owed
  const schema = schemaWith(outcome_schema, dispositions)
  if (attempts > mostAttempts) return Effect.succeed(unreadWithoutCost("interrupted", "its processes ended"))
  if (schema === null || model === null)
    return Effect.succeed(unreadWithoutCost("agent_deleted", "its agent was deleted"))
  const said = saidIn(transcript)
  if (said.length === 0) return Effect.succeed(unreadWithoutCost("transcript_deleted", "its transcript was deleted"))
  return reader
    .read({ schema, said, model, prompts, at, time_zone: entry.account.time_zone })
    .pipe(Effect.provideService(CurrentTenant, entry))
}

const conclusionOf = Effect.fnUntraced(function* (
  { attempts, dispositions, outcome_schema }: ExtractionRows.Owed,
  result: OutcomeReading["result"],
) {
  if (result instanceof OutcomeUnread) {
    const { isTransient, reason } = result
    if (!isTransient || attempts >= mostAttempts) return { state: "failed", reason } satisfies ExtractionRows.Conclusion
    const retry_in_ms = firstRetryMs * 4 ** (attempts - 1) * (yield* Random.nextBetween(0.5, 1))
    return { state: "pending", retry_in_ms } satisfies ExtractionRows.Conclusion
  }
  const fields = fieldsOf(outcome_schema ?? {}).map((name) => ({ name, entry: result.get(name)?.entry ?? null }))
  const values = valuesOf(result)
  if (dispositions.length === 0)
    return { state: "done", values, fields, disposition: null } satisfies ExtractionRows.Conclusion
  const disposition = dispositionIn(values, dispositions, new Date(yield* Clock.currentTimeMillis))
  return { state: "done", values: withoutDisposition(values), fields, disposition } satisfies ExtractionRows.Conclusion
})
