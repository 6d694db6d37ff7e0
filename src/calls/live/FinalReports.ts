/**
 * Ends calls over carriers whose calls outlive the process. Such a call is settled when the carrier reports its final
 * state, and keeps its slot until then (I3).
 */
import { Clock, Context, Effect, Exit, Layer } from "effect"
import type { PhoneNumberRow } from "../../catalog/PhoneNumbers.ts"
import type { CallRecord } from "../../conversation/CallRecord.ts"
import { type Cost, wasAnswered } from "../../domain/Call.ts"
import { lostCostOf } from "../../domain/LostCall.ts"
import { type FinalReport, Telephony } from "../../telephony/Telephony.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import type { EndReport } from "../ledger/CallLog.ts"
import type { CallEnd } from "./CallSession.ts"
import * as CallTariff from "./CallTariff.ts"
import { LiveCalls } from "./LiveCalls.ts"

/** How long a stopping process waits for each carrier's final report. Another process asks for the others. */
const limitOfStopping = "2 seconds"

export interface Closing {
  readonly tenant: AccountEntry
  readonly call: EndReport["call"] & { readonly from_number: string | null; readonly started_at: Date }
  readonly number: PhoneNumberRow
  readonly max_call_seconds: number
  /** The call's end as far as this process knows it. */
  readonly end: CallEnd
  readonly record: CallRecord
  /** The cost in the row of a call whose process died; absent if this process conducted the call. */
  readonly recorded_cost?: Cost | null
}

export class FinalReports extends Context.Service<
  FinalReports,
  {
    /**
     * Waits for the carrier's final report and then ends the call. If the process stops first, it releases the call,
     * and another process settles it.
     */
    readonly await: (closing: Closing) => Effect.Effect<void>
  }
>()("calls/live/FinalReports") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const live = yield* LiveCalls
      const tariffFor = yield* CallTariff.make
      const telephony = yield* Telephony

      const endByCarrier = Effect.fnUntraced(function* (
        { call, end, max_call_seconds, number, record, recorded_cost, tenant }: Closing,
        restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
      ) {
        const close = telephony.close({
          account: tenant.account.slug,
          call_id: call.id,
          to: call.to_number ?? "",
          from: call.from_number ?? number.number,
          carrier: number.carrier,
          carrier_config: number.carrier_config,
          max_call_seconds,
          started_at: call.started_at,
        })
        const asked = yield* Effect.exit(restore(close))
        // The process is stopping. A final report that has already arrived still counts.
        const report = Exit.isSuccess(asked)
          ? asked.value
          : yield* close.pipe(
              Effect.interruptible,
              Effect.timeoutOption(limitOfStopping),
              Effect.map((late) => (late._tag === "Some" ? late.value : undefined)),
            )
        if (report === undefined) return yield* live.release(call.id)
        record.answered_at ??= report.answered_at
        const final = record.unreached === null ? merge(end, report) : end
        const tariff = tariffFor(call, number.carrier)
        if (recorded_cost !== undefined && tariff !== null) {
          const now = yield* Clock.currentTimeMillis
          record.lost_cost = lostCostOf(tariff, recorded_cost, talkOf({ call, final, now, record, report }))
        }
        yield* live.end(tenant, call, final, record)
      })

      return {
        await: (closing) =>
          Effect.uninterruptibleMask((restore) => endByCarrier(closing, restore)).pipe(
            Effect.annotateLogs({ account: closing.tenant.account.slug, call: closing.call.id }),
          ),
      }
    }),
  )
}

interface Over {
  readonly call: Pick<Closing["call"], "started_at">
  readonly final: CallEnd
  readonly record: Pick<CallRecord, "answered_at">
  readonly report: FinalReport
  readonly now: number
}

/**
 * How long a lost call lasted at most: the duration that the carrier reports, or the time until now, because the
 * carrier has ended the call by now. Null if it was certainly not answered.
 */
const talkOf = ({ call, final, now, record, report }: Over) => {
  const is_answered = record.answered_at !== null || wasAnswered(final.outcome)
  if (!is_answered && final.outcome !== "unknown") return null
  const { duration_seconds = null } = report
  const sinceAnswer = Math.max(0, now - (record.answered_at ?? call.started_at).getTime())
  return { is_answered, ms: duration_seconds === null ? sinceAnswer : duration_seconds * 1_000 }
}

/**
 * Combines this process's end with the carrier's outcome. If this process saw an answered call, its own end counts;
 * otherwise the carrier's outcome does, if it is known.
 */
const merge = (end: CallEnd, { outcome }: FinalReport): CallEnd => {
  if (wasAnswered(end.outcome) || outcome === "unknown") return end
  if (outcome === end.outcome || wasAnswered(outcome)) return { ...end, outcome }
  return { outcome, end_reason: end.end_reason === "interrupted" ? "not_answered" : end.end_reason }
}
