/** The second call of a warm transfer, before it is dialled: under which caps and lists it may begin, and its row. */
import { Effect } from "effect"
import * as BusyLines from "../../catalog/BusyLines.ts"
import * as Suppressions from "../../catalog/Suppressions.ts"
import { type Cap, capReachedIn } from "../../domain/Cap.ts"
import type { HandoverFailure } from "../../domain/Handover.ts"
import type { Prices } from "../../domain/PriceList.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import { admit } from "../ledger/Admission.ts"
import * as CallLog from "../ledger/CallLog.ts"
import type { CallOnLine, Intent } from "../ledger/Intent.ts"
import * as NumberPace from "../ledger/NumberPace.ts"
import { reserveFor } from "../ledger/Reservation.ts"

/** What the second call takes over from the first. */
interface Handed {
  readonly call: Pick<CallOnLine, "id" | "agent_id" | "agent_name" | "agent_version">
  readonly kit: { readonly agent: { readonly max_call_seconds: number } }
  readonly number: NumberPace.PacedNumber & { readonly number: string }
}

const failureAt: Record<Cap, HandoverFailure> = {
  concurrent_cap: "no_slot",
  per_minute_cap: "per_minute_cap",
  daily_cap: "daily_cap",
}

/** Admits the second call under the same caps and lists as any call, and writes its row; or returns why it may not begin. */
export const intend = Effect.fnUntraced(function* (
  node: string,
  prices: Prices | null,
  { call, kit, number }: Handed,
  target: string,
) {
  const admission = yield* admit(1)
  if (yield* Suppressions.isSuppressed(target)) return "do_not_call" satisfies HandoverFailure
  const reached = capReachedIn(admission)
  if (reached !== null) return failureAt[reached.code]
  if ((yield* BusyLines.findCall(target)) !== undefined) return "busy" satisfies HandoverFailure
  const { max_call_seconds } = kit.agent
  const reserved = yield* reserveFor(admission, prices, { carrier: number.carrier, to: target, max_call_seconds }).pipe(
    Effect.catchTags({
      InvalidState: () => Effect.succeed("no_price" as const),
      SpendCapReached: () => Effect.succeed("spend_cap" as const),
    }),
  )
  if (typeof reserved === "string") return reserved
  const intent: Intent = {
    agent_id: call.agent_id,
    agent_name: call.agent_name,
    agent_version: call.agent_version,
    phone_number_id: number.id,
    to_number: target,
    from_number: number.number,
    variables: {},
    campaign_id: null,
    contact_id: null,
    attempt_number: null,
    decision: null,
    ...(reserved === null ? {} : { reserved }),
    transfer_of: call.id,
  }
  const [leg] = yield* CallLog.intend(node, [intent])
  if (leg === undefined) return "failed" satisfies HandoverFailure
  yield* NumberPace.recordCallsFrom([{ ...number, calls: 1 }])
  return leg
}, transaction)
