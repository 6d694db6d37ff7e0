/** What this process does with a call when its program is over: it ends the call, or leaves it to another process. */
import { Effect } from "effect"
import type { PhoneNumberRow } from "../../catalog/PhoneNumbers.ts"
import type { CallRecord } from "../../conversation/CallRecord.ts"
import { Telephony } from "../../telephony/Telephony.ts"
import { CallWriter } from "../ledger/CallWriter.ts"
import type { CallEnd } from "./CallSession.ts"
import { type Closing, FinalReports } from "./FinalReports.ts"
import type { LiveCall } from "./LiveCall.ts"
import { LiveCalls } from "./LiveCalls.ts"

export interface Over {
  readonly entry: LiveCall
  readonly call: Closing["call"]
  /** Undefined if the call goes over no telephone number. */
  readonly number: PhoneNumberRow | undefined
  readonly max_call_seconds: number
  readonly end: CallEnd
  readonly record: CallRecord
}

/** Whether the call goes on in another process. A call that ended while it was given up has ended. */
export const isGivenUp = ({ lost, moves }: LiveCall, { end_reason }: CallEnd) =>
  lost || (moves && end_reason === "interrupted")

/** Returns the function that closes a call. `restore` makes the wait for the carrier's report interruptible. */
export const make = Effect.gen(function* () {
  const finalReports = yield* FinalReports
  const live = yield* LiveCalls
  const telephony = yield* Telephony
  const writer = yield* CallWriter

  return Effect.fnUntraced(function* (
    { call, end, entry, max_call_seconds, number, record }: Over,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
  ) {
    const { tenant } = entry
    if (isGivenUp(entry, end)) {
      // The process that goes on with the call reads these.
      if (!entry.lost && record.hasNews) yield* writer.words(tenant.account.slug, new Map([[call.id, record]]))
      return yield* live.release(call.id)
    }
    if (number === undefined || !entry.dialled || !telephony.outlives(number.carrier)) {
      return yield* live.end(tenant, call, end, record)
    }
    yield* restore(finalReports.await({ tenant, call, number, max_call_seconds, end, record }))
  })
})
