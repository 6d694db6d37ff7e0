/**
 * Ends a SIP call and waits until nothing of it can be left at the trunk. For a call of a dead process, the stored
 * dialog is enough for a BYE, and while it rings, the stored invitation is enough for a CANCEL.
 */
import { Clock, Deferred, Effect, Schema } from "effect"
import type { CallId } from "../../domain/Call.ts"
import { outcomeOf } from "../../domain/CarrierReport.ts"
import { trunkOf } from "../../domain/SipConfig.ts"
import type { CarrierFeeds } from "../CarrierFeeds.ts"
import type { FinalReport, UnconfirmedCall } from "../Telephony.ts"
import { Dialog } from "./Dialog.ts"
import { Invitation } from "./Invitation.ts"
import type { UserAgent } from "./Sip.ts"
import * as SipReports from "./SipReports.ts"

/**
 * How long a phone may ring: longer than an INVITE waits for its first response, so that a silent trunk and an
 * unanswered phone can be told apart.
 */
export const ringLimitSeconds = 33
/** The peer ends an unacknowledged answer after 32 seconds, and its BYE may take a moment. */
const unacknowledgedMs = 40_000
/** A dead process's call is over after this time: it rings for as long as its INVITE allows, unless it is cancelled. */
const goneAfterMs = ringLimitSeconds * 1_000 + unacknowledgedMs
/** A BYE is given up after 32 seconds; a challenge takes another one. */
const byeLimit = "70 seconds"
/** The dead process may have used higher `CSeq` numbers than it stored. */
const numbersAhead = 10_000
const pause = "1 second"

/** Whether it rang is unknown. */
const neverFound: FinalReport = { outcome: "unknown", answered_at: null }

/** The state of cancelling a dead process's ringing call. */
interface Ringing {
  isAsked: boolean
  /** When the trunk confirmed the CANCEL, in milliseconds since 1970; infinite before that. */
  stoppedAt: number
}

interface Parts {
  readonly agent: UserAgent | null
  readonly feeds: CarrierFeeds["Service"]
  /** The calls of this process. Each is done when its final report is stored. */
  readonly own: ReadonlyMap<CallId, Deferred.Deferred<void>>
}

const decode = Schema.decodeUnknownEffect(Dialog)
const decodeInvitation = Schema.decodeUnknownEffect(Invitation)

const warnSwitchedOff = Effect.logWarning("ending a SIP call failed: PARLEY_SIP_PORT is not set")

/** Can be interrupted at any moment and repeated. */
export const make = ({ agent, feeds, own }: Parts) => {
  const sendBye = Effect.fnUntraced(function* (stored: Schema.JsonObject, { carrier_config }: UnconfirmedCall) {
    if (agent === null) return yield* warnSwitchedOff
    const dialog = yield* Effect.orDie(decode(stored))
    const credentials = trunkOf(carrier_config)?.credentials ?? null
    const session = agent.adopt({ ...dialog, local_sequence: dialog.local_sequence + numbersAhead }, credentials)
    yield* Effect.timeoutOption(agent.bye(session), byeLimit)
  })

  /** Returns whether the trunk has received the CANCEL. */
  const sendCancel = Effect.fnUntraced(function* (stored: Schema.JsonObject) {
    if (agent === null) return yield* Effect.as(warnSwitchedOff, false)
    const result = yield* agent.cancel(yield* Effect.orDie(decodeInvitation(stored)))
    return typeof result !== "string"
  })

  /**
   * Ends the call as far as its stored state allows, and returns the final report; null if the call may still ring, or
   * may have been answered since.
   */
  const tryToEnd = Effect.fnUntraced(function* (call: UnconfirmedCall, ringing: Ringing) {
    const row = yield* feeds.find(call.account, call.call_id)
    if (row === null) return neverFound
    const outcome = outcomeOf(row)
    if (outcome !== null) return { outcome, answered_at: row.answered_at } satisfies FinalReport
    if (row.dialog === null) {
      if (row.invitation !== null && !ringing.isAsked) {
        ringing.isAsked = true
        if (yield* sendCancel(row.invitation)) ringing.stoppedAt = yield* Clock.currentTimeMillis
      }
      const now = yield* Clock.currentTimeMillis
      const end = Math.min(call.started_at.getTime() + goneAfterMs, ringing.stoppedAt + unacknowledgedMs)
      return now > end ? neverFound : null
    }
    yield* sendBye(row.dialog, call)
    yield* feeds.tell(call.account, call.call_id, { sid: row.sid, report: SipReports.completed })
    return { outcome: "answered", answered_at: row.answered_at } satisfies FinalReport
  })

  return Effect.fn("Sip.close")(function* (call: UnconfirmedCall): Effect.fn.Return<FinalReport> {
    const concluded = own.get(call.call_id)
    if (concluded !== undefined) yield* Effect.timeoutOption(Deferred.await(concluded), byeLimit)
    const ringing: Ringing = { isAsked: false, stoppedAt: Number.POSITIVE_INFINITY }
    while (true) {
      const tried = yield* Effect.result(tryToEnd(call, ringing))
      if (tried._tag === "Success" && tried.success !== null) return tried.success
      if (tried._tag === "Failure") yield* Effect.logWarning("reading a SIP call failed; retrying", tried.failure)
      yield* Effect.sleep(pause)
    }
  })
}
