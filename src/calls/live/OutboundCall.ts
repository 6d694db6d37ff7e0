/**
 * Conducts one outbound call, from dialling to the report of its end. If another process takes the call over, that
 * process reports the end.
 */
import { Effect } from "effect"
import type { Brain } from "../../brain/Brain.ts"
import { CallRecord } from "../../conversation/CallRecord.ts"
import { Recorder } from "../../recording/Recorder.ts"
import type { Telephony } from "../../telephony/Telephony.ts"
import * as CallTrace from "../../telemetry/CallTrace.ts"
import { CallWriter } from "../ledger/CallWriter.ts"
import { ToolRequests } from "../requests/ToolRequests.ts"
import type { IntendedCall } from "../ledger/Intent.ts"
import * as CallClose from "./CallClose.ts"
import * as CallTariff from "./CallTariff.ts"
import type { CallEquipment } from "./CallEquipment.ts"
import * as CallSession from "./CallSession.ts"
import { InAccount } from "./InAccount.ts"
import type { LiveCall } from "./LiveCall.ts"
import { Ownership } from "./Ownership.ts"

/** The program of a call: `CallSession.run`, or that of the second call of a warm transfer. */
export type Run = (session: CallSession.Session) => Effect.Effect<CallSession.CallEnd, never, Telephony | Brain>

/**
 * Returns the function that conducts a call. It is built once for all calls, because a new generator function for each
 * call costs 10 µs, as much as the rest of it.
 */
export const make = Effect.gen(function* () {
  const close = yield* CallClose.make
  const inAccount = yield* InAccount
  const tariffFor = yield* CallTariff.make
  const ownership = yield* Ownership
  const recorder = yield* Recorder
  const requests = yield* ToolRequests
  const writer = yield* CallWriter

  const conduct = Effect.fnUntraced(function* (
    call: IntendedCall,
    entry: LiveCall,
    equipment: CallEquipment,
    run: Run,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
  ) {
    const { tenant } = entry
    const { slug } = tenant.account
    const record = new CallRecord()
    record.carrier = equipment.number.carrier
    record.tariff = tariffFor(call, record.carrier)
    entry.record = record
    const session: CallSession.Session = {
      ...equipment,
      tenant,
      call,
      record,
      recorder,
      hangUp: entry.hangUp,
      ringing: Effect.andThen(
        CallTrace.note(entry.trace, "ringing"),
        writer.progress(slug, call.id, { status: "ringing", answered_at: null }),
      ),
      answered: (answered_at) => writer.progress(slug, call.id, { status: "in_progress", answered_at }),
      confirmForDialling: Effect.andThen(
        ownership.confirmAnew(entry),
        Effect.sync(() => void (entry.dialled = true)),
      ),
      confirmOwnership: ownership.confirm(entry),
      mayHangUp: ownership.mayHangUp(entry),
      inTenant: inAccount(tenant),
      requests,
    }
    yield* CallTrace.note(entry.trace, "dialling")
    const end = yield* restore(CallTrace.within(entry.trace)(run(session))).pipe(
      Effect.catchCause((cause) => CallSession.endOf(cause, record, "outbound")),
    )
    const { kit, number } = equipment
    const { max_call_seconds } = kit.agent
    yield* close({ entry, call, number, max_call_seconds, end, record }, restore)
  })

  return (call: IntendedCall, entry: LiveCall, equipment: CallEquipment, run: Run) =>
    Effect.uninterruptibleMask((restore) => conduct(call, entry, equipment, run, restore))
})
