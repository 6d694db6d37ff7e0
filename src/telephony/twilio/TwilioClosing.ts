/**
 * Ends a call at the carrier and waits for its final report: after a conversation, and for a call that another process
 * left, whose SID may be unknown. A slot is free only when the carrier says so (I3).
 */
import { Clock, Effect } from "effect"
import { isTerminal, outcomeOf, wasAnsweredBy } from "../../domain/CarrierReport.ts"
import { credentialsOf, type TwilioCredentials } from "../../domain/TwilioConfig.ts"
import { type CarrierCall, findTaken } from "../CarrierCalls.ts"
import type { CarrierFeeds } from "../CarrierFeeds.ts"
import type { FinalReport, UnconfirmedCall } from "../Telephony.ts"
import { momentOf, reportOf, type Resource, type TwilioApi, TwilioRefused } from "./TwilioApi.ts"

/** How long the phone may ring, as Twilio is told; a call that was held back for longer is no longer wanted. */
export const ringLimitSeconds = 30
export const heldBackSeconds = 30
/** Twilio itself ends a call this long after Parley should have. */
export const timeLimitOver = 15

/** A call that was made is in the carrier's list by then. After that long it was never made. */
const appearsWithinMs = 20_000
/**
 * A process that takes over a call looks for it this long, however old it is: the previous one may have been dialling.
 */
const looksForMs = 5_000
/** The carrier's clock and ours. */
const clocksDifferMs = 5_000
const pause = { firstMs: 250, lastMs: 5_000 }

interface Parts {
  readonly api: TwilioApi["Service"]
  readonly feeds: CarrierFeeds["Service"]
}

const finalReportOf = (row: CarrierCall): FinalReport | null => {
  const outcome = outcomeOf(row)
  return outcome === null ? null : { outcome, answered_at: row.answered_at }
}

/** Can be interrupted at any moment and repeated. */
export const make = ({ api, feeds }: Parts) => {
  /**
   * Finds the call of an order whose answer was lost: the first call since then that belongs to no other call of ours.
   */
  const search = Effect.fnUntraced(function* (
    of: TwilioCredentials,
    { account, from, started_at, to }: UnconfirmedCall,
  ) {
    const found = yield* api.between(of, to, from)
    const since = started_at.getTime() - clocksDifferMs
    const candidates = found.filter(({ date_created }) => (momentOf(date_created)?.getTime() ?? 0) >= since)
    if (candidates.length === 0) return null
    const known = yield* feeds.within(account)(findTaken(candidates.map(({ sid }) => sid)))
    return candidates.findLast(({ sid }) => !known.has(sid)) ?? null
  })

  const hangUp = (of: TwilioCredentials, { sid, status }: Resource) =>
    isTerminal(status)
      ? api.find(of, sid)
      : api
          // `canceled` does not end an answered call, and `completed` does not end a ringing one.
          .update(of, sid, { Status: status === "in-progress" ? "completed" : "canceled" })
          .pipe(Effect.catchTag("TwilioRefused", () => api.find(of, sid)))

  /** One attempt: reads the known state, asks the carrier, and orders the end. Null if the carrier has no such call. */
  const press = Effect.fnUntraced(function* (of: TwilioCredentials, call: UnconfirmedCall) {
    const { account, call_id } = call
    const known = yield* feeds.find(account, call_id)
    if (known !== null && isTerminal(known.status)) return known
    const resource = known === null || known.sid === null ? yield* search(of, call) : yield* api.find(of, known.sid)
    if (resource === null) return null
    const told = yield* feeds.tell(account, call_id, { sid: resource.sid, report: reportOf(resource) })
    if (told === null || isTerminal(told.status)) return told
    const after = yield* hangUp(of, resource)
    return yield* feeds.tell(account, call_id, { sid: after.sid, report: reportOf(after) })
  })

  /** Returns the carrier's final report, or `unknown` after a time in which every call of this kind has ended. */
  const close = Effect.fn("Twilio.close")(function* (call: UnconfirmedCall): Effect.fn.Return<FinalReport> {
    const began = yield* Clock.currentTimeMillis
    const of = credentialsOf(call.carrier_config)
    if (of === null) return neverFound
    const longest = (ringLimitSeconds + heldBackSeconds + call.max_call_seconds + timeLimitOver * 2) * 1_000
    let wait = pause.firstMs
    while (true) {
      const seen = yield* Effect.result(Effect.catchDefect(press(of, call), (defect) => Effect.fail(defect)))
      const row = seen._tag === "Success" ? seen.success : null
      const final = row === null ? null : finalReportOf(row)
      if (final !== null) return final
      const now = yield* Clock.currentTimeMillis
      const age = now - call.started_at.getTime()
      if (seen._tag === "Success" ? row === null : isUnknownSid(seen.failure)) {
        if (age > appearsWithinMs && now - began > looksForMs) return neverFound
      } else if (age > longest) {
        yield* Effect.logWarning("carrier gave no final state of a call within its longest possible duration")
        const known = yield* Effect.orElseSucceed(feeds.find(call.account, call.call_id), () => null)
        return known !== null && wasAnsweredBy(known)
          ? { outcome: "answered", answered_at: known.answered_at }
          : neverFound
      }
      if (seen._tag === "Failure") {
        yield* Effect.logWarning("ending a call at its carrier failed; retrying", seen.failure)
      }
      yield* Effect.sleep(wait)
      wait = Math.min(wait * 2, pause.lastMs)
    }
  })

  return { close, press, search }
}

/** Whether it rang is unknown. */
const neverFound: FinalReport = { outcome: "unknown", answered_at: null }

const isUnknownSid = (failure: unknown) => failure instanceof TwilioRefused && failure.status === 404
