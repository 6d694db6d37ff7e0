/**
 * Goes on with live calls that no process conducts, or settles them: calls of dead processes, and calls whose fiber this
 * process lost.
 */
import { Clock, Context, Deferred, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import * as PhoneNumbers from "../../catalog/PhoneNumbers.ts"
import { Node } from "../../cluster/Node.ts"
import { outcomeOfCut } from "../../conversation/AnsweringMachine.ts"
import { CallRecord } from "../../conversation/CallRecord.ts"
import type { CallId, Outcome } from "../../domain/Call.ts"
import { Telephony } from "../../telephony/Telephony.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import * as ExtractionRows from "../extraction/ExtractionRows.ts"
import { ExtractionSignals } from "../extraction/ExtractionSignals.ts"
import * as CallLog from "../ledger/CallLog.ts"
import * as ChatRows from "../ledger/ChatRows.ts"
import * as OfferRows from "../ledger/OfferRows.ts"
import { ToolRequests } from "../requests/ToolRequests.ts"
import { FinalReports } from "./FinalReports.ts"
import { LeftCalls } from "./LeftCalls.ts"
import { LiveCalls } from "./LiveCalls.ts"
import { OutboundCalls } from "./OutboundCalls.ts"
import * as Ownership from "./Ownership.ts"

/** A call of this process without a fiber this many seconds after its row was written is lost. */
const handedOverAfterSeconds = 30

/**
 * Takes over the live calls that no process conducts, and returns their rows. `unbegun`: the call was still offered to
 * another process, so no carrier was asked to dial it. Reads the calls before the nodes, because a node is registered
 * before its first call.
 */
export const takeOverLost = Effect.fn("CallRecovery.takeOverLost")(function* (
  node: Node["Service"],
  isConducted: (id: CallId) => boolean,
) {
  const notHere = (yield* Effect.orDie(CallLog.nodesOfLive())).filter(({ id }) => !isConducted(id))
  const others = new Set(notHere.map(({ node_id }) => node_id))
  others.delete(node.id)
  const gone = others.size === 0 ? others : yield* node.findGone([...others])
  const ids = notHere.flatMap(({ id, node_id }) => (node_id === node.id || gone.has(node_id) ? [id] : []))
  const rows = yield* Effect.orDie(CallLog.findLive(ids))
  // Some calls were ended, taken over or handed to a fiber in the meantime.
  const left = rows.filter(({ age_seconds, id, node_id }) =>
    node_id === node.id
      ? age_seconds > handedOverAfterSeconds && !isConducted(id)
      : gone.has(node_id) && !isConducted(id),
  )
  // A conversation in writing waits for its page, which may reach any process.
  const waiting = yield* Effect.orDie(ChatRows.findWaiting(left))
  const lost = left.filter(({ id }) => !waiting.has(id))
  if (lost.length === 0) return []
  const { taken, unbegun } = yield* Effect.orDie(takeOver(yield* node.enter, lost))
  return lost.flatMap((row) => (taken.has(row.id) ? [{ ...row, unbegun: unbegun.has(row.id) }] : []))
})

/** The process to which a call was offered may accept it at this moment: only one of the two processes gets it. */
const takeOver = Effect.fnUntraced(function* (node: string, lost: ReadonlyArray<CallLog.LiveCallRow>) {
  const unbegun = yield* OfferRows.withdraw(lost.map(({ id }) => id))
  return { unbegun, taken: yield* Ownership.takeOver(node, lost) }
}, transaction)

/**
 * The outcome that the row of a lost call proves, for carriers that cannot report more. A caller counts as a person.
 */
export const outcomeOfLost = ({
  answered_at,
  direction,
  first_words,
}: Pick<CallLog.LiveCallRow, "answered_at" | "direction" | "first_words">): Outcome => {
  if (answered_at === null) return "unknown"
  return direction === "outbound" ? outcomeOfCut(first_words) : "answered"
}

export class CallRecovery extends Context.Service<
  CallRecovery,
  {
    /**
     * Takes over the account's lost calls, and goes on with them or settles them, and then settles the requests of their
     * tools. Returns how many calls; some may still wait for their carrier's final report.
     */
    readonly recover: Effect.Effect<number, never, CurrentTenant | SqlClient.SqlClient>
  }
>()("calls/live/CallRecovery") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const extractions = yield* ExtractionSignals
      const finalReports = yield* FinalReports
      const { goOn } = yield* LeftCalls
      const live = yield* LiveCalls
      const node = yield* Node
      const { conduct } = yield* OutboundCalls
      const requests = yield* ToolRequests
      const telephony = yield* Telephony

      /**
       * Goes on with a call, or settles it. A call that its carrier may still know keeps its slot until the carrier
       * reports; this does not wait for that.
       */
      const settle = Effect.fnUntraced(function* (row: CallLog.LiveCallRow) {
        // Another sweep may have found the call in the meantime.
        if (live.all.has(row.id)) return
        const tenant = yield* CurrentTenant
        const number = yield* Effect.option(PhoneNumbers.findForCarrier(row.phone_number_id ?? ""))
        if (Option.isSome(number) && (yield* goOn(row.id, number.value))) return
        const entry = yield* live.add(tenant, row.id, yield* Clock.currentTimeMillis)
        const record = new CallRecord()
        record.answered_at = row.answered_at
        record.words_in_row = true
        const end = { outcome: outcomeOfLost(row), end_reason: "interrupted" } as const
        if (Option.isSome(number) && telephony.outlives(number.value.carrier)) {
          const { cost: recorded_cost, max_call_seconds } = row
          const closing = { tenant, call: row, number: number.value, max_call_seconds, end, record, recorded_cost }
          live.start(finalReports.await(closing))
          return
        }
        yield* live.end(tenant, row, end, record)
        yield* Deferred.await(entry.over)
      })

      /** A dead process may also have left extractions of calls that ended before its death. */
      const wakeExtractions = Effect.gen(function* () {
        if ((yield* ExtractionRows.nextDue()) === null) return
        yield* extractions.wake((yield* CurrentTenant).account.slug)
      })

      /** Conducts calls that no process has begun and whose dial decision is still fresh (`OfferRows.freshSeconds`). */
      const resume = Effect.fnUntraced(function* (rows: ReadonlyArray<CallLog.LiveCallRow>) {
        const tenant = yield* CurrentTenant
        const asked = yield* Clock.currentTimeMillis
        const ids = rows.map(({ id }) => id)
        yield* conduct(tenant, yield* Effect.orDie(OfferRows.findIntended(node.id, ids)), asked)
      })
      const recover = Effect.fnUntraced(function* () {
        const { status } = (yield* CurrentTenant).account
        const rows = yield* takeOverLost(node, (id) => live.all.has(id))
        const isFresh = (row: (typeof rows)[number]) =>
          row.unbegun && row.age_seconds < OfferRows.freshSeconds && status === "active"
        const fresh = rows.filter(isFresh)
        if (fresh.length > 0) yield* resume(fresh)
        yield* Effect.forEach(
          rows.filter((row) => !isFresh(row)),
          settle,
          { concurrency: "unbounded", discard: true },
        )
        return rows.length
      })

      return {
        recover: recover().pipe(
          Effect.tap(wakeExtractions),
          Effect.tap(requests.settle),
          Effect.withSpan("Calls.recover"),
        ),
      }
    }),
  )
}
