/**
 * The end of a call over a carrier whose calls live on without us: it is settled when the carrier says that it is over,
 * and its slot is taken until then (I3).
 */
import { Effect, Exit } from "effect"
import type { PhoneNumberRow } from "../../catalog/PhoneNumbers.ts"
import type { CallRecord } from "../../conversation/CallRecord.ts"
import { wasAnswered } from "../../domain/Call.ts"
import type { CallId } from "../../domain/Call.ts"
import type { LastWord, Left, Telephony } from "../../telephony/Telephony.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import type { EndReport } from "../ledger/CallLog.ts"
import type { CallEnd } from "./CallSession.ts"

/** What a process that stops gives each of its calls; what is not known then, another process asks for. */
const limitOfStopping = "2 seconds"

interface Parts {
  readonly telephony: Telephony["Service"]
  readonly finish: (
    tenant: AccountEntry,
    call: EndReport["call"],
    end: CallEnd,
    record: CallRecord,
  ) => Effect.Effect<void>
  /** The call's row stays as it is, for the next who looks. */
  readonly letGo: (id: CallId) => Effect.Effect<void>
}

export interface Closing {
  readonly tenant: AccountEntry
  readonly call: EndReport["call"] & { readonly from_number: string | null; readonly started_at: Date }
  readonly number: PhoneNumberRow
  readonly max_call_seconds: number
  /** What the call came to, as far as we know. */
  readonly end: CallEnd
  readonly record: CallRecord
}

export const make = ({ finish, letGo, telephony }: Parts) => {
  const hear = ({ call, end, max_call_seconds, number, record, tenant }: Closing) => {
    const left: Left = {
      account: tenant.account.slug,
      call_id: call.id,
      to: call.to_number ?? "",
      from: call.from_number ?? number.number,
      carrier: number.carrier,
      carrier_config: number.carrier_config,
      max_call_seconds,
      started_at: call.started_at,
    }
    const close = telephony.close(left)
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const asked = yield* Effect.exit(restore(close))
        // The process stops: a carrier that has said its last word already is heard all the same.
        const word = Exit.isSuccess(asked)
          ? asked.value
          : yield* close.pipe(
              Effect.interruptible,
              Effect.timeoutOption(limitOfStopping),
              Effect.map((late) => (late._tag === "Some" ? late.value : undefined)),
            )
        if (word === undefined) return yield* letGo(call.id)
        record.answered_at ??= word.answered_at
        yield* finish(tenant, call, merged(end, word), record)
      }),
    ).pipe(Effect.annotateLogs({ account: tenant.account.slug, call: call.id }))
  }
  return { hear }
}

/** Talk that we heard was a talk; else the carrier knows, when it knows anything. */
const merged = (end: CallEnd, { outcome }: LastWord): CallEnd => {
  if (wasAnswered(end.outcome) || outcome === "unknown") return end
  if (outcome === end.outcome || wasAnswered(outcome)) return { ...end, outcome }
  return { outcome, end_reason: end.end_reason === "interrupted" ? "not_answered" : end.end_reason }
}
