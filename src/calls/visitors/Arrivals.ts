/**
 * A conversation that comes to us over a line that stands already: caps and row in one transaction, the talk after its
 * commit. It takes a slot as any other call does (decisions §5), and is ended and written as any other.
 */
import { Clock, Config, Effect, Schema, type Scope } from "effect"
import type { Brain } from "../../brain/Brain.ts"
import * as AgentKit from "../../catalog/AgentKit.ts"
import * as Agents from "../../catalog/Agents.ts"
import { CallRecord } from "../../conversation/CallRecord.ts"
import type { AccountSlug } from "../../domain/Account.ts"
import type { CallId, EndReason } from "../../domain/Call.ts"
import { CapReached, widgetShareOf } from "../../domain/Cap.ts"
import { unknownReference } from "../../domain/Refusals.ts"
import { EventSignals } from "../../events/EventSignals.ts"
import type { Line } from "../../telephony/Telephony.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import { admit } from "../ledger/Admission.ts"
import * as CallLog from "../ledger/CallLog.ts"
import type { CallOnLine } from "../ledger/Intent.ts"
import type { Settlement } from "../ledger/Settlement.ts"
import * as CallSession from "../live/CallSession.ts"
import * as LiveCall from "../live/LiveCall.ts"

export interface Arrival {
  readonly agent_id: string
  readonly variables: Schema.JsonObject
  /** Said first; null is the agent's own first message. */
  readonly greeting: string | null
  /** Nobody is asked whether they are still there: the page of somebody who writes knows when they leave. */
  readonly written: boolean
  /** Made when the talk begins, and gone with its end; `first_message` is a template still. */
  readonly line: (agent: AgentKit.AgentKit["agent"]) => Effect.Effect<Line, never, Scope.Scope>
  /** Told once, when the end is decided; it is being written then. */
  readonly ended: (reason: EndReason) => void
}

/** What a call needs of the room that conducts it. */
export interface Room {
  readonly node: string
  readonly inTenant: LiveCall.InAccount
  readonly live: Map<CallId, LiveCall.LiveCall>
  readonly inUse: Map<AccountSlug, number>
  readonly counted: Effect.Effect<void>
  readonly settlement: Settlement["Service"]
  readonly finish: (
    tenant: AccountEntry,
    call: CallLog.EndReport["call"],
    end: CallSession.CallEnd,
    record: CallRecord,
  ) => Effect.Effect<void>
  readonly letGo: (id: CallId) => Effect.Effect<void>
  readonly start: (program: Effect.Effect<void, never, Brain>) => LiveCall.LiveCall["fiber"]
}

/** How much of `concurrent_max` arrivals may hold: visitors of a page must not keep the account from dialling. */
const WidgetShare = Config.schema(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })),
  "PARLEY_WIDGET_SHARE_PERCENT",
).pipe(Config.withDefault(50))

export const make = Effect.fnUntraced(function* (room: Room) {
  const { counted, finish, inTenant, inUse, letGo, live, node, settlement, start } = room
  const widgetSharePercent = yield* WidgetShare

  const attend = (tenant: AccountEntry, call: CallOnLine, entry: LiveCall.LiveCall, arrival: Arrival) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const record = new CallRecord()
        entry.record = record
        const talk = Effect.gen(function* () {
          const kit = yield* Effect.option(inTenant(tenant)(AgentKit.of(call.agent_id, call.agent_version)))
          if (kit._tag === "None") return { outcome: "carrier_error", end_reason: "agent_missing" } as const
          record.answered_at = new Date(yield* Clock.currentTimeMillis)
          const { answered_at } = record
          yield* settlement.progress(tenant.account.slug, call.id, { status: "in_progress", answered_at })
          const session = { tenant, call, record, hangUp: entry.hangUp, inTenant: inTenant(tenant) }
          const own = asArrived(kit.value, arrival)
          return yield* CallSession.talk({ ...session, kit: own }, yield* arrival.line(own.agent))
        }).pipe(Effect.scoped)
        const end = yield* restore(talk).pipe(Effect.catchCause((cause) => CallSession.endOf(cause, record)))
        arrival.ended(entry.lost ? "interrupted" : end.end_reason)
        yield* entry.lost ? letGo(call.id) : finish(tenant, call, end, record)
      }),
    )

  const write = Effect.fnUntraced(function* (arrival: Arrival) {
    const tenant = yield* CurrentTenant
    const agent = yield* Agents.find(arrival.agent_id).pipe(
      Effect.mapError(({ id }) => unknownReference("/agent_id", "agent", id)),
    )
    const admission = yield* admit(1)
    if (admission.stopped_by !== null) {
      const { limit, resets_at, used } = admission.usage[admission.stopped_by]
      return yield* new CapReached({ code: admission.stopped_by, limit, used, resets_at })
    }
    const { limit: concurrentMax, resets_at } = admission.usage.concurrent_cap
    const limit = widgetShareOf(concurrentMax, widgetSharePercent)
    const used = yield* CallLog.countArrivals()
    if (used >= limit) {
      return yield* new CapReached({ code: "concurrent_cap", limit, used, resets_at, share_of: "widget" })
    }
    const { variables } = arrival
    const of = { agent_id: agent.id, agent_name: agent.name, agent_version: agent.version, variables }
    const nobody = { to_number: null, from_number: null, campaign_id: null, contact_id: null, attempt_number: null }
    const call: CallOnLine = { ...(yield* CallLog.arrive(node, of)), ...of, ...nobody, decision: null }
    return { tenant, call }
  }, transaction)

  const receive = Effect.fn("Calls.receive")(
    function* (arrival: Arrival) {
      const { call, tenant } = yield* write(arrival)
      const entry = LiveCall.make(tenant, call.started_at.getTime())
      entry.dialled = true
      inUse.set(tenant.account.slug, yield* Clock.currentTimeMillis)
      live.set(call.id, entry)
      yield* Effect.andThen(counted, (yield* EventSignals).written(tenant.account.slug))
      entry.fiber = start(attend(tenant, call, entry, arrival))
      return call.id
    },
    Effect.catchTag("SqlError", Effect.die),
    Effect.uninterruptible,
  )
  return receive
})

const asArrived = (kit: AgentKit.AgentKit, { greeting, written }: Arrival): AgentKit.AgentKit => ({
  ...kit,
  agent: {
    ...kit.agent,
    first_message: greeting ?? kit.agent.first_message,
    ...(written ? { silence_timeout_seconds: kit.agent.max_call_seconds * 3 } : {}),
  },
})
