/**
 * A conversation that arrives over an open line: caps and row in one transaction, the talk after its commit. It takes a
 * slot (decisions §5), ends and is written like any other call.
 */
import { Clock, Config, Context, Effect, Layer, Schema, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import * as AgentKit from "../../catalog/AgentKit.ts"
import * as Agents from "../../catalog/Agents.ts"
import { Node } from "../../cluster/Node.ts"
import { CallRecord } from "../../conversation/CallRecord.ts"
import type { CallId, EndReason } from "../../domain/Call.ts"
import { CapReached, capReachedIn, widgetShareOf } from "../../domain/Cap.ts"
import { type UnknownReference, unknownReference } from "../../domain/Refusals.ts"
import { EventSignals } from "../../events/EventSignals.ts"
import type { Line } from "../../telephony/Telephony.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import { admit } from "../ledger/Admission.ts"
import * as CallLog from "../ledger/CallLog.ts"
import { CallWriter } from "../ledger/CallWriter.ts"
import type { CallOnLine } from "../ledger/Intent.ts"
import * as CallSession from "../live/CallSession.ts"
import { InAccount } from "../live/InAccount.ts"
import type { LiveCall } from "../live/LiveCall.ts"
import { LiveCalls } from "../live/LiveCalls.ts"

export interface Arrival {
  readonly agent_id: string
  readonly variables: Schema.JsonObject
  /** The first message; null means the agent's own. */
  readonly greeting: string | null
  /** A visitor who types is not asked "Are you still there?": the page knows when the visitor leaves. */
  readonly written: boolean
  /** Made when the talk begins, and closed at its end; `first_message` is still a template. */
  readonly line: (agent: AgentKit.AgentKit["agent"]) => Effect.Effect<Line, never, Scope.Scope>
  /** Called once, when the end is decided and being written. */
  readonly ended: (reason: EndReason) => void
}

/** How much of `concurrent_max` arrivals may hold: visitors of a page must not keep the account from dialling. */
const WidgetShare = Config.schema(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })),
  "PARLEY_WIDGET_SHARE_PERCENT",
).pipe(Config.withDefault(50))

export class Arrivals extends Context.Service<
  Arrivals,
  {
    /** Gives the conversation a row and a slot, and holds it. Returns its id at once. */
    readonly receive: (
      arrival: Arrival,
    ) => Effect.Effect<CallId, CapReached | UnknownReference, CurrentTenant | SqlClient.SqlClient>
  }
>()("calls/visitors/Arrivals") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const events = yield* EventSignals
      const inAccount = yield* InAccount
      const live = yield* LiveCalls
      const node = yield* Node
      const writer = yield* CallWriter
      const widgetSharePercent = yield* WidgetShare

      const attend = (call: CallOnLine, entry: LiveCall, arrival: Arrival) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const { tenant } = entry
            const record = new CallRecord()
            record.carrier = "web"
            entry.record = record
            const talk = Effect.gen(function* () {
              const kit = yield* Effect.option(inAccount(tenant)(AgentKit.find(call.agent_id, call.agent_version)))
              if (kit._tag === "None") return { outcome: "carrier_error", end_reason: "agent_missing" } as const
              record.answered_at = new Date(yield* Clock.currentTimeMillis)
              const { answered_at } = record
              yield* writer.progress(tenant.account.slug, call.id, { status: "in_progress", answered_at })
              const session = { tenant, call, record, hangUp: entry.hangUp, inTenant: inAccount(tenant) }
              const own = asArrived(kit.value, arrival)
              return yield* CallSession.talk({ ...session, kit: own }, yield* arrival.line(own.agent))
            }).pipe(Effect.scoped)
            const end = yield* restore(talk).pipe(
              Effect.catchCause((cause) => CallSession.endOf(cause, record, "page")),
            )
            arrival.ended(entry.lost ? "interrupted" : end.end_reason)
            yield* entry.lost ? live.release(call.id) : live.end(tenant, call, end, record)
          }),
        )

      const receive = Effect.fn("Calls.receive")(
        function* (arrival: Arrival) {
          const { call, tenant } = yield* write(node.id, widgetSharePercent, arrival)
          const entry = yield* live.add(tenant, call.id, call.started_at.getTime())
          entry.dialled = true
          yield* events.written(tenant.account.slug)
          entry.fiber = live.start(attend(call, entry, arrival))
          return call.id
        },
        Effect.catchTag("SqlError", Effect.die),
        Effect.uninterruptible,
      )
      return { receive }
    }),
  )
}

/** Admits the conversation and writes its row. */
const write = Effect.fnUntraced(function* (node: string, sharePercent: number, arrival: Arrival) {
  const tenant = yield* CurrentTenant
  const agent = yield* Agents.find(arrival.agent_id).pipe(
    Effect.mapError(({ id }) => unknownReference("/agent_id", "agent", id)),
  )
  const admission = yield* admit(1)
  const capReached = capReachedIn(admission)
  if (capReached !== null) return yield* capReached
  const { limit: concurrentMax, resets_at } = admission.usage.concurrent_cap
  const limit = widgetShareOf(concurrentMax, sharePercent)
  const used = yield* CallLog.countArrivals()
  if (used >= limit) {
    return yield* new CapReached({ code: "concurrent_cap", limit, used, resets_at, share_of: "widget" })
  }
  const { variables } = arrival
  const of = { agent_id: agent.id, agent_name: agent.name, agent_version: agent.version, variables }
  const noPhone = { to_number: null, from_number: null, campaign_id: null, contact_id: null, attempt_number: null }
  const call: CallOnLine = { ...(yield* CallLog.arrive(node, of)), ...of, ...noPhone, decision: null }
  return { tenant, call }
}, transaction)

const asArrived = (kit: AgentKit.AgentKit, { greeting, written }: Arrival): AgentKit.AgentKit => ({
  ...kit,
  agent: {
    ...kit.agent,
    first_message: greeting ?? kit.agent.first_message,
    ...(written ? { silence_timeout_seconds: kit.agent.max_call_seconds * 3 } : {}),
  },
})
