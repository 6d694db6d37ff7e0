/**
 * Admits calls that the other side begins: incoming phone calls and conversations of pages. One transaction checks the
 * caps and writes the row; the talk begins after its commit. Such a call takes a slot (decisions §5) and ends like any
 * other.
 */
import { Clock, Config, Context, Deferred, Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import * as Agents from "../../catalog/Agents.ts"
import { Node } from "../../cluster/Node.ts"
import type { CallId } from "../../domain/Call.ts"
import { CapReached, capReachedIn, shareOf } from "../../domain/Cap.ts"
import { type UnknownReference, unknownReference } from "../../domain/Refusals.ts"
import { EventSignals } from "../../events/EventSignals.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import { admit } from "../ledger/Admission.ts"
import * as CallLog from "../ledger/CallLog.ts"
import * as ChatRows from "../ledger/ChatRows.ts"
import type { CallOnLine } from "../ledger/Intent.ts"
import type { Arrival } from "./Arrival.ts"
import * as ArrivedCall from "./ArrivedCall.ts"
import * as LiveCall from "./LiveCall.ts"
import { LiveCalls } from "./LiveCalls.ts"

const percent = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))

/**
 * The share of `concurrent_max` that calls of each kind may hold, so that they cannot keep the account from dialling.
 */
const Shares = Config.all({
  web: Config.schema(percent, "PARLEY_WIDGET_SHARE_PERCENT").pipe(Config.withDefault(50)),
  inbound: Config.schema(percent, "PARLEY_INBOUND_SHARE_PERCENT").pipe(Config.withDefault(80)),
})
type Shares = Config.Success<typeof Shares>

export class Arrivals extends Context.Service<
  Arrivals,
  {
    /** Gives the call a row and a slot, and begins to conduct it. Returns its id without waiting for the talk. */
    readonly receive: (
      arrival: Arrival,
    ) => Effect.Effect<CallId, CapReached | UnknownReference, CurrentTenant | SqlClient.SqlClient>
    /**
     * Takes over the conversation in writing with this secret, unless this process owns it, and begins to conduct it. It
     * keeps its slot, and counts in no cap again. Undefined if it has ended. `permit` runs before a conversation is taken,
     * because each time the model may be asked for a reply again.
     */
    readonly takeOver: <E>(
      secret_hash: Uint8Array,
      arrivalOf: (chat: ChatRows.TakenChat) => Arrival,
      permit: Effect.Effect<void, E>,
    ) => Effect.Effect<
      { readonly id: CallId; readonly taken: boolean } | undefined,
      E,
      CurrentTenant | SqlClient.SqlClient
    >
  }
>()("calls/live/Arrivals") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const conduct = yield* ArrivedCall.make
      const events = yield* EventSignals
      const live = yield* LiveCalls
      const node = yield* Node
      const shares = yield* Shares

      const receive = Effect.fn("Calls.receive")(
        function* (arrival: Arrival) {
          const { call, tenant } = yield* write(yield* node.enter, shares, arrival)
          const entry = yield* live.add(tenant, call.id, call.started_at.getTime())
          entry.dialled = true
          yield* events.written(tenant.account.slug)
          entry.fiber = live.start(conduct(call, entry, arrival))
          return call.id
        },
        Effect.catchTag("SqlError", Effect.die),
        Effect.uninterruptible,
      )

      const takeOver = Effect.fn("Calls.takeOverChat")(
        function* <E>(
          secret_hash: Uint8Array,
          arrivalOf: (chat: ChatRows.TakenChat) => Arrival,
          permit: Effect.Effect<void, E>,
        ) {
          const tenant = yield* CurrentTenant
          const found = yield* ChatRows.find(secret_hash)
          if (found === undefined) return undefined
          const present = live.all.get(found.call_id)
          if (present !== undefined && found.node_id === node.id) return { id: present.id, taken: false }
          yield* permit
          // Another process has taken it over, and the page is back here before this process has noticed.
          if (present !== undefined) {
            LiveCall.lose(present)
            yield* Deferred.await(present.over)
          }
          const chat = yield* transaction(ChatRows.takeOver(yield* node.enter, secret_hash))
          if (chat === undefined || live.all.has(chat.id)) return undefined
          const entry = yield* live.add(tenant, chat.id, yield* Clock.currentTimeMillis)
          entry.dialled = true
          yield* Effect.annotateLogs(Effect.logInfo("took over a conversation in writing"), {
            account: tenant.account.slug,
            call: chat.id,
            from: found.node_id,
          })
          entry.fiber = live.start(conduct(toCallOnLine(chat), entry, arrivalOf(chat)))
          return { id: chat.id, taken: true }
        },
        Effect.catchTag("SqlError", Effect.die),
        Effect.uninterruptible,
      )
      return { receive, takeOver }
    }),
  )
}

const ofNoCampaign = { campaign_id: null, contact_id: null, attempt_number: null, decision: null }

/** Admits the call and writes its row. */
const write = Effect.fnUntraced(function* (node: string, shares: Shares, arrival: Arrival) {
  const tenant = yield* CurrentTenant
  const agent = yield* Agents.find(arrival.agent_id).pipe(
    Effect.mapError(({ id }) => unknownReference("/agent_id", "agent", id)),
  )
  const { phone, variables } = arrival
  const direction = phone === null ? "web" : "inbound"
  const admission = yield* admit(1)
  const capReached = capReachedIn(admission)
  if (capReached !== null) return yield* capReached
  const { limit: concurrentMax, resets_at, used: live } = admission.usage.concurrent_cap
  // An account that is about to move to another database server takes no call until it is there.
  if (tenant.moving !== null) {
    return yield* new CapReached({ code: "concurrent_cap", limit: concurrentMax, used: live, resets_at })
  }
  const limit = shareOf(concurrentMax, shares[direction])
  const used = yield* CallLog.countLive(direction)
  if (used >= limit) {
    const share_of = direction === "web" ? "widget" : "inbound"
    return yield* new CapReached({ code: "concurrent_cap", limit, used, resets_at, share_of })
  }
  const arrived: CallLog.ArrivedCall = {
    direction,
    agent_id: agent.id,
    agent_name: agent.name,
    agent_version: agent.version,
    variables,
    phone_number_id: phone?.number.id ?? null,
    to_number: phone?.number.number ?? null,
    from_number: phone?.from_number ?? null,
  }
  const call: CallOnLine = { ...(yield* CallLog.arrive(node, arrived)), ...arrived, ...ofNoCampaign }
  const row = arrival.written?.row ?? null
  if (row !== null) yield* ChatRows.begin(call.id, row)
  return { tenant, call }
}, transaction)

const toCallOnLine = (chat: ChatRows.TakenChat): CallOnLine => ({
  ...ofNoCampaign,
  id: chat.id,
  direction: "web",
  agent_id: chat.agent_id,
  agent_name: chat.agent_name,
  agent_version: chat.agent_version,
  variables: chat.variables ?? {},
  to_number: null,
  from_number: null,
  started_at: chat.started_at,
})
