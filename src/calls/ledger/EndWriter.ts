/**
 * Writes the ends of an account's calls in batches, and then runs the post-call hooks. An end is never dropped: ends
 * that the database refuses are tried one by one, and one that is refused again is written without its words.
 */
import { Effect } from "effect"
import { Node } from "../../cluster/Node.ts"
import type { AccountSlug } from "../../domain/Account.ts"
import { EventSignals } from "../../events/EventSignals.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import { AfterCall } from "./AfterCall.ts"
import * as AnsweredDays from "./AnsweredDays.ts"
import * as CallMetrics from "./CallMetrics.ts"
import { endBatch } from "./EndBatch.ts"
import { type EndQueue, type Ending, withoutWords } from "./EndQueue.ts"
import type { Persist } from "./PersistentWrites.ts"
import * as TalkMetrics from "./TalkMetrics.ts"

const mostRefusals = 3

/** Returns the function that writes one batch of the queue. */
export const make = Effect.fnUntraced(function* (persist: Persist) {
  const after = yield* AfterCall
  const countAnswered = yield* AnsweredDays.make
  const events = yield* EventSignals
  const node = yield* Node
  const measure = yield* TalkMetrics.make

  /** Ends the calls that `take` returns in one transaction. */
  const end = (account: AccountSlug, take: () => ReadonlyArray<Ending>) => {
    const ended = Effect.flatMap(endBatch({ node: node.id, account, after, take }), (calls) =>
      countAnswered(account, calls),
    )
    return persist(account, transaction(ended).pipe(Effect.withSpan("CallWriter.end")), mostRefusals)
  }

  /**
   * An end that the database refuses goes back to the queue without its words, because its slot must become free in
   * any case.
   */
  const writeAlone = Effect.fnUntraced(function* (account: AccountSlug, ends: EndQueue, ending: Ending) {
    const attempted = yield* end(account, () => [ending])
    if (attempted === "refused") return ends.add(withoutWords(ending))
    yield* follow(account, [ending])
  })

  const follow = (account: AccountSlug, written: ReadonlyArray<Ending>) =>
    // A dialler that waits for the budget's lock runs before this, because it may use the slots that these ends free.
    Effect.yieldNow.pipe(
      Effect.andThen(CallMetrics.countEnds(written.map(({ end }) => end.outcome))),
      Effect.andThen(events.written(account)),
      Effect.andThen(Effect.forEach(written, ({ record }) => measure(record), { discard: true })),
      Effect.catchCause((cause) => Effect.logError("post-call hook failed", cause)),
      Effect.andThen(Effect.forEach(written, (ending) => ending.written, { discard: true })),
    )

  return Effect.fnUntraced(function* (account: AccountSlug, ends: EndQueue) {
    const attempted = yield* end(account, () => ends.take())
    switch (attempted) {
      case "written":
        return yield* follow(account, ends.takeOut())
      case "account deleted":
        // No transaction began, so the batch was never taken. It is taken here so that `written` still runs.
        ends.take()
        return yield* follow(account, ends.takeOut())
      case "refused":
        // One by one, so that one refused end does not keep the others from being written.
        return yield* Effect.forEach(ends.takeOut(), (ending) => writeAlone(account, ends, ending), { discard: true })
    }
  })
})
