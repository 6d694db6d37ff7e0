/** Places a direct call: checks it and commits its row before the carrier is asked to dial (decisions §2, §5). */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Agents from "../catalog/Agents.ts"
import * as BusyLines from "../catalog/BusyLines.ts"
import * as PhoneNumbers from "../catalog/PhoneNumbers.ts"
import { InstallationPrices } from "../catalog/PriceFile.ts"
import * as Suppressions from "../catalog/Suppressions.ts"
import { Node } from "../cluster/Node.ts"
import { type Call, DoNotCall, type NewCall } from "../domain/Call.ts"
import type { NoConsent, RefusedByRule } from "../domain/CallNotPermitted.ts"
import { type CapReached, capReachedIn } from "../domain/Cap.ts"
import type { SpendCapReached } from "../domain/DailySpend.ts"
import type { DirectGrounds } from "../domain/DirectDialRecord.ts"
import { NumberDayReached, NumberPaceReached } from "../domain/NumberPace.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { Prices } from "../domain/PriceList.ts"
import { type Invalid, invalid, InvalidState, type UnknownReference, unknownReference } from "../domain/Refusals.ts"
import type { FrozenPack } from "../domain/RulePack.ts"
import { Telephony } from "../telephony/Telephony.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import * as Rows from "../tenancy/Rows.ts"
import { transaction } from "../tenancy/Transaction.ts"
import * as CallHistory from "./CallHistory.ts"
import * as DirectCallRules from "./DirectCallRules.ts"
import { admit } from "./ledger/Admission.ts"
import * as CallLog from "./ledger/CallLog.ts"
import type { Intent } from "./ledger/Intent.ts"
import * as NumberPace from "./ledger/NumberPace.ts"
import { reserveFor } from "./ledger/Reservation.ts"
import { OutboundCalls } from "./live/OutboundCalls.ts"

/** How long a request waits for its number's pace; carriers queue for about as long. */
const patienceMs = 5_000

export class DirectCalls extends Context.Service<
  DirectCalls,
  {
    /**
     * One transaction checks the caps, the do-not-call list, the rules and consent that the request asks for, and the
     * number's pace, and writes the intent. The carrier is asked after the commit. `packs` are those of `rule_packs`.
     */
    readonly place: (
      request: NewCall,
      packs: ReadonlyArray<FrozenPack>,
    ) => Effect.Effect<
      Call,
      | CapReached
      | SpendCapReached
      | NumberDayReached
      | NumberPaceReached
      | DoNotCall
      | NoConsent
      | RefusedByRule
      | UnknownReference
      | InvalidState
      | Invalid,
      CurrentTenant | SqlClient.SqlClient
    >
  }
>()("calls/DirectCalls") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const node = yield* Node
      const prices = yield* InstallationPrices
      const outbound = yield* OutboundCalls
      const telephony = yield* Telephony
      const place = Effect.fn("Calls.place")(
        function* (request: NewCall, packs: ReadonlyArray<FrozenPack>) {
          const tenant = yield* CurrentTenant
          if (tenant.account.status === "restored") return yield* new InvalidState(restored)
          if (tenant.moving !== null) return yield* new InvalidState(moving)
          const order = yield* readOrder(request, packs)
          const { number } = order
          const obstacle = telephony.obstacleOf(number)
          if (obstacle !== null) {
            const detail = `No call can be placed from ${number.label || number.number}: ${obstacle}`
            return yield* new InvalidState({ state: number.carrier, detail })
          }
          const attempt = Effect.fnUntraced(function* (hasReserved: boolean) {
            const sql = yield* SqlClient.SqlClient
            const written = yield* write(yield* node.enter, order, { prices, hasReserved })
            if (typeof written === "number") return written
            yield* AuditTrail.write(written[0]?.id)
            yield* sql.afterCommit(outbound.conduct(tenant, written))
            return written
          }, transaction)
          let call = yield* attempt(false)
          while (typeof call === "number") call = yield* Effect.delay(attempt(true), call)
          const [{ id } = { id: "" }] = call
          return yield* Effect.orDie(CallHistory.find(id))
        },
        Effect.catchTag("SqlError", Effect.die),
      )
      return { place }
    }),
  )
}

const restored = {
  state: "restored",
  detail:
    "The account was restored from a backup and places no calls. A platform administrator has to set it to active first.",
}

const moving = {
  state: "moving",
  detail:
    "The account is about to move to another database server and places no calls until it is there. Try again in a minute.",
}

interface Order {
  readonly number: PhoneNumber
  readonly intent: Intent
  readonly max_call_seconds: number
  readonly terms: DirectCallRules.Terms
  /** As the record of the decision names the agent. */
  readonly of_agent: Pick<DirectGrounds<never>, "agent" | "agent_version">
}

/** Looks up the agent and the number that the request names. */
const readOrder = Effect.fnUntraced(function* (
  { agent_id, phone_number_id, required_consent = null, subject = null, to, variables = {} }: NewCall,
  packs: ReadonlyArray<FrozenPack>,
) {
  const agent = yield* Agents.find(agent_id).pipe(
    Effect.mapError(({ id }) => unknownReference("/agent_id", "agent", id)),
  )
  const number = yield* PhoneNumbers.find(phone_number_id).pipe(
    Effect.mapError(({ id }) => unknownReference("/phone_number_id", "phone number", id)),
  )
  if (to === number.number) return yield* invalid("/to", "is the number that the call would be placed from")
  const intent: Intent = {
    agent_id: agent.id,
    agent_name: agent.name,
    agent_version: agent.version,
    phone_number_id: number.id,
    to_number: to,
    from_number: number.number,
    variables,
    campaign_id: null,
    contact_id: null,
    attempt_number: null,
    decision: null,
  }
  const { id, max_call_seconds, name, revision, version } = agent
  const of_agent = { agent: { id, name, revision }, agent_version: version }
  const order: Order = { number, intent, max_call_seconds, terms: { packs, subject, required_consent }, of_agent }
  return order
})

interface Writing {
  readonly prices: Prices | null
  /** Whether the number's pace has reserved a moment for the call. */
  readonly hasReserved: boolean
}

/** Writes the call, or returns the milliseconds until the moment that the number's pace has reserved for it. */
const write = Effect.fnUntraced(function* (
  node: string,
  { intent, max_call_seconds, number, of_agent, terms }: Order,
  { hasReserved, prices }: Writing,
) {
  const admission = yield* admit(1)
  const to = intent.to_number
  // guard: no direct call is placed to a number on the do-not-call list (I12)
  if (yield* Suppressions.isSuppressed(to, terms.subject)) return yield* new DoNotCall({ phone_number: to })
  // end of guard
  const { daily_spend, now, usage } = admission
  const party = { phone_number: to, custom_fields: intent.variables }
  const permission = yield* DirectCallRules.judge(terms, party, number.number, { ...of_agent, usage, daily_spend, now })
  yield* refuseIfInCall(to)
  const capReached = capReachedIn(admission)
  if (capReached !== null) return yield* capReached
  yield* refuseIfUsedUp(number)
  const reserved = yield* reserveFor(admission, prices, { carrier: number.carrier, to, max_call_seconds })
  const waitMs = hasReserved ? yield* NumberPace.tooEarlyBy(number) : yield* reserve(number, now)
  if (waitMs > 0) return waitMs
  const permitted = permission === null ? intent : { ...intent, decision: permission.record }
  const intended = yield* CallLog.intend(node, [reserved === null ? permitted : { ...permitted, reserved }])
  if (permission !== null) yield* DirectCallRules.keep(terms, permission, now)
  yield* NumberPace.recordCallsFrom([{ ...number, calls: intended.length }])
  return intended
})

const Usage = Schema.Struct({ used: Schema.Int, tomorrow: Schema.Date })

/** A number has at most `max_calls_per_day`, which the database guards too. */
const refuseIfUsedUp = Effect.fnUntraced(function* ({ id, max_calls_per_day: limit }: PhoneNumber) {
  if (limit === null) return
  const sql = yield* SqlClient.SqlClient
  const { tomorrow, used } = yield* Rows.one(Usage)(sql`
    select (t.today + 1)::timestamp at time zone t.time_zone as tomorrow,
      (select coalesce(sum(begun), 0)::int from number_days where phone_number_id = ${id} and day = t.today) as used
    from (select b.time_zone, (clock_timestamp() at time zone b.time_zone)::date as today from budget b) t`)
  if (used >= limit) return yield* new NumberDayReached({ code: "number_daily_cap", limit, used, resets_at: tomorrow })
})

/** A phone takes one call of the account at a time. */
const refuseIfInCall = Effect.fnUntraced(function* (to: string) {
  const busy = yield* BusyLines.findCall(to)
  if (busy === undefined) return
  return yield* new InvalidState({ state: busy.status, detail: `${to} is already in a call of this account` })
})

/**
 * Returns 0 if the number's pace lets a call begin now. Otherwise reserves the next moment for it and returns the
 * milliseconds until then; fails if that is longer than a request waits.
 */
const reserve = Effect.fnUntraced(function* (number: PhoneNumber, now: Date) {
  const { calls_per_second, free, free_in_ms } = yield* NumberPace.numberPaceOf(number)
  if (calls_per_second === null || free > 0) return 0
  if (free_in_ms > patienceMs) {
    const limit = Math.ceil(calls_per_second)
    const resets_at = new Date(now.getTime() + free_in_ms - patienceMs)
    return yield* new NumberPaceReached({ code: "rate_limited", calls_per_second, limit, used: limit, resets_at })
  }
  yield* NumberPace.reserve(number)
  return free_in_ms
})
