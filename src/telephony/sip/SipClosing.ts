/**
 * Ends a SIP call and waits until nothing of it can be left at the trunk: a call of this process, or one of a process
 * that is gone, whose stored dialog is enough for a BYE, and whose stored invitation for a CANCEL while it rings.
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
 * How long a phone may ring: longer than an INVITE waits for its first response, so that a trunk that is silent is told
 * from a phone that is not taken.
 */
export const ringLimitSeconds = 33
/** An answer that is not acknowledged ends after 32 seconds, and the BYE may take a moment. */
const unacknowledgedMs = 40_000
/** A call that was dialled by a process that is gone rings for as long as the INVITE allows, unless it is cancelled. */
const goneAfterMs = ringLimitSeconds * 1_000 + unacknowledgedMs
/** A BYE is given up after 32 seconds; a challenge takes another one. */
const byeLimit = "70 seconds"
/** The process that is gone may have used numbers after those that it stored. */
const numbersAhead = 10_000
const pause = "1 second"

/** Whether it rang is unknown. */
const neverFound: FinalReport = { outcome: "unknown", answered_at: null }

/** The ringing of a call whose process is gone. */
interface Ringing {
  isAsked: boolean
  /** Milliseconds since 1970; infinite if it may go on. */
  stoppedAt: number
}

interface Parts {
  readonly agent: UserAgent | null
  readonly feeds: CarrierFeeds["Service"]
  /** The calls of this process; done when the final report is stored. */
  readonly own: ReadonlyMap<CallId, Deferred.Deferred<void>>
}

const decode = Schema.decodeUnknownEffect(Dialog)
const decodeInvitation = Schema.decodeUnknownEffect(Invitation)

const warnSwitchedOff = Effect.logWarning("ending a SIP call failed: PARLEY_SIP_PORT is not set")

/** Can be interrupted at any moment and repeated. */
export const make = ({ agent, feeds, own }: Parts) => {
  const sayBye = Effect.fnUntraced(function* (stored: Schema.JsonObject, { carrier_config }: UnconfirmedCall) {
    if (agent === null) return yield* warnSwitchedOff
    const dialog = yield* Effect.orDie(decode(stored))
    const credentials = trunkOf(carrier_config)?.credentials ?? null
    const session = agent.adopt({ ...dialog, local_sequence: dialog.local_sequence + numbersAhead }, credentials)
    yield* Effect.timeoutOption(agent.bye(session), byeLimit)
  })

  /** Returns whether the trunk has received the order to stop ringing. */
  const sayCancel = Effect.fnUntraced(function* (stored: Schema.JsonObject) {
    if (agent === null) return yield* Effect.as(warnSwitchedOff, false)
    const result = yield* agent.cancel(yield* Effect.orDie(decodeInvitation(stored)))
    return typeof result !== "string"
  })

  /** The final report; null if the call may still ring, or was answered unheard, or the database is away. */
  const look = Effect.fnUntraced(function* (call: UnconfirmedCall, ringing: Ringing) {
    const row = yield* feeds.find(call.account, call.call_id)
    if (row === null) return neverFound
    const outcome = outcomeOf(row)
    if (outcome !== null) return { outcome, answered_at: row.answered_at } satisfies FinalReport
    if (row.dialog === null) {
      if (row.invitation !== null && !ringing.isAsked) {
        ringing.isAsked = true
        if (yield* sayCancel(row.invitation)) ringing.stoppedAt = yield* Clock.currentTimeMillis
      }
      const now = yield* Clock.currentTimeMillis
      const end = Math.min(call.started_at.getTime() + goneAfterMs, ringing.stoppedAt + unacknowledgedMs)
      return now > end ? neverFound : null
    }
    yield* sayBye(row.dialog, call)
    yield* feeds.tell(call.account, call.call_id, { sid: row.sid, report: SipReports.completed })
    return { outcome: "answered", answered_at: row.answered_at } satisfies FinalReport
  })

  return Effect.fn("Sip.close")(function* (call: UnconfirmedCall): Effect.fn.Return<FinalReport> {
    const concluded = own.get(call.call_id)
    if (concluded !== undefined) yield* Effect.timeoutOption(Deferred.await(concluded), byeLimit)
    const ringing: Ringing = { isAsked: false, stoppedAt: Number.POSITIVE_INFINITY }
    while (true) {
      const seen = yield* Effect.result(look(call, ringing))
      if (seen._tag === "Success" && seen.success !== null) return seen.success
      if (seen._tag === "Failure") yield* Effect.logWarning("reading a SIP call failed; retrying", seen.failure)
      yield* Effect.sleep(pause)
    }
  })
}
