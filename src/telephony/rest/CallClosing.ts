/**
 * Ends a call at the carrier and waits for its final report. Used after a conversation, and for a call that another
 * process left, whose id at the carrier may be unknown. The call keeps its slot until the carrier reports the end (I3).
 */
import { Clock, Effect } from "effect"
import { isTerminal, outcomeOf, wasAnsweredBy } from "../../domain/CarrierReport.ts"
import type { CarrierCall } from "../CarrierCalls.ts"
import type { CarrierFeeds } from "../CarrierFeeds.ts"
import type { FinalReport, UnconfirmedCall } from "../Telephony.ts"
import type { CallsAtCarrier, OrderingCarrier } from "./CallsAtCarrier.ts"

/** How long the phone may ring: the carrier gets this limit with the order. */
export const ringLimitSeconds = 30
/** A call that the carrier queues for longer than this is no longer wanted. */
export const heldBackSeconds = 30
/** The carrier ends a call this many seconds after Parley should have ended it. */
export const timeLimitOver = 15

/** A call appears in the carrier's list within this time of its order. If it does not, the carrier never made it. */
const appearsWithinMs = 20_000
/**
 * A process that takes over a call looks for it at least this long, however old the call is: the previous process may have
 * just ordered it.
 */
const looksForMs = 5_000
const pause = { firstMs: 250, lastMs: 5_000 }

interface Parts {
  readonly carrier: OrderingCarrier
  readonly feeds: CarrierFeeds["Service"]
}

/** The report of a call that was not found. Whether it rang is unknown. */
const neverFound: FinalReport = { outcome: "unknown", answered_at: null }

const finalReportOf = (row: CarrierCall): FinalReport | null => {
  const outcome = outcomeOf(row)
  return outcome === null ? null : { outcome, answered_at: row.answered_at, duration_seconds: row.duration_seconds }
}

/** Returns `press`, one attempt to end a call, and `close`. Both can be interrupted at any moment and repeated. */
export const make = ({ carrier, feeds }: Parts) => {
  /**
   * One attempt: reads the stored state, looks the call up, and orders its end. Null if the carrier has no such call.
   */
  const press = Effect.fnUntraced(function* (calls: CallsAtCarrier, call: UnconfirmedCall) {
    const { account, call_id } = call
    const known = yield* feeds.find(account, call_id)
    if (known !== null && isTerminal(known.status)) return known
    const found = yield* known === null || known.sid === null ? calls.search(call) : calls.find(known.sid)
    if (found === null) return null
    const told = yield* feeds.tell(account, call_id, found)
    if (told === null || isTerminal(told.status)) return told
    const after = yield* calls.hangUp(found)
    return after === null ? told : yield* feeds.tell(account, call_id, after)
  })

  /** Returns the final report of a call that the carrier no longer reports on. */
  const lastKnown = Effect.fnUntraced(function* ({ account, call_id }: UnconfirmedCall) {
    const known = yield* Effect.orElseSucceed(feeds.find(account, call_id), () => null)
    const isAnswered = known !== null && wasAnsweredBy(known)
    return isAnswered ? { outcome: "answered" as const, answered_at: known.answered_at } : neverFound
  })

  /**
   * Returns the carrier's final report. Without one, it returns the last known state once the call must have ended by
   * its limits.
   */
  const close = Effect.fn(`${carrier.name}.close`)(function* (call: UnconfirmedCall): Effect.fn.Return<FinalReport> {
    const began = yield* Clock.currentTimeMillis
    const calls = carrier.callsOf(call.carrier_config)
    if (calls === null) return neverFound
    const longest = (ringLimitSeconds + heldBackSeconds + call.max_call_seconds + timeLimitOver * 2) * 1_000
    let wait = pause.firstMs
    while (true) {
      const seen = yield* Effect.result(Effect.catchDefect(press(calls, call), (defect) => Effect.fail(defect)))
      const row = seen._tag === "Success" ? seen.success : null
      const final = row === null ? null : finalReportOf(row)
      if (final !== null) return final
      const now = yield* Clock.currentTimeMillis
      const age = now - call.started_at.getTime()
      const isUnknown = seen._tag === "Success" && row === null
      if (isUnknown && age > appearsWithinMs && now - began > looksForMs) return yield* lastKnown(call)
      if (!isUnknown && age > longest) {
        yield* Effect.logWarning("carrier gave no final state of a call within its longest possible duration")
        return yield* lastKnown(call)
      }
      if (seen._tag === "Failure") {
        yield* Effect.logWarning("ending a call at its carrier failed; retrying", seen.failure)
      }
      yield* Effect.sleep(wait)
      wait = Math.min(wait * 2, pause.lastMs)
    }
  })

  return { close, press }
}
