/** Caps on spending: prices, what is reserved and spent, and calls that end. */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Calls, type Intent } from "../../src/calls/Calls.ts"
import { admit } from "../../src/calls/ledger/Admission.ts"
import * as CallLog from "../../src/calls/ledger/CallLog.ts"
import * as Invariants from "../../src/cli/Invariants.ts"
import * as Campaigns from "../../src/campaigns/Campaigns.ts"
import { CallRecord } from "../../src/conversation/CallRecord.ts"
import { CallId } from "../../src/domain/Call.ts"
import { lostCostOf } from "../../src/domain/LostCall.ts"
import { compile, type PriceList } from "../../src/domain/PriceList.ts"
import { lockBudget } from "../../src/tenancy/BudgetLock.ts"
import { transaction } from "../../src/tenancy/Transaction.ts"
import * as CallsRoom from "./CallsRoom.ts"
import { campaign } from "./DialPasses.ts"

/** A call of the test's agent, of at most 9 minutes and a minute of grace, costs at most 1.00. */
export const max_call_seconds = 540
const list: PriceList = {
  currency: "USD",
  carriers: [{ carrier: "lab", prefix: "+", from: "2026-01-01", per_minute: "0.06", increment_seconds: 60 }],
  agent_at_most: [{ from: "2026-01-01", per_minute: "0.04" }],
}
export const prices = Result.getOrThrow(compile(list, new Set()))
/** Lacks a price that every limit on spending needs. */
export const withoutAgent = Result.getOrThrow(compile({ ...list, agent_at_most: [] }, new Set()))

export const Progress = (id: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly spent: number; readonly reserved: number; readonly live: number }>`
      select (cost + written_off)::float8 as spent, reserved::float8, active_calls as live
      from campaign_progress where campaign_id = ${id}`,
  ).pipe(Effect.map(([row]) => row ?? assert.fail("no progress")))

export const day = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly spent: number; readonly reserved: number }>`
    select spent_today::float8 as spent, reserved_today::float8 as reserved from budget`,
).pipe(Effect.map(([row]) => row ?? assert.fail("no budget")))

export const capDay = (cap: string | null) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update budget set daily_spend_cap = ${cap}::numeric`)

export interface Live {
  readonly id: string
  readonly node_id: string
  readonly contact_id: string
}

type Ending = Omit<Live, "contact_id"> & { readonly contact_id: string | null }

export const liveOf = (id: string | null) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<Live>`select id, node_id, contact_id from calls where campaign_id is not distinct from ${id} and ended_at is null order by id`,
  )

/**
 * Ends a call that talked for this long. A killed process leaves no record of what the call cost; `reported_ms` is how long
 * the carrier then says that it lasted.
 */
export const end = (
  campaign_id: string | null,
  { contact_id, id, node_id }: Ending,
  talked_ms: number,
  isKilled = false,
  reported_ms: number | null = null,
) => {
  const record = new CallRecord()
  record.answered_at = new Date()
  record.talked_ms = talked_ms
  record.words_in_row = isKilled
  record.tariff = prices.tariffOf({ carrier: "lab", direction: "outbound", to: null, at: new Date() })
  if (reported_ms !== null) record.lost_cost = lostCostOf(record.tariff, null, { ms: reported_ms, is_answered: true })
  const call = {
    ...{ id: CallId.make(id), direction: "outbound" as const, campaign_id, contact_id },
    ...{ attempt_number: 1, to_number: null, from_number: null },
  }
  const outcome = { outcome: "answered", end_reason: isKilled ? "interrupted" : "agent_hung_up" } as const
  const report = { call, end: outcome, ended_at: new Date(), record }
  // In the order of `EndBatch`: without the lock, an end and a dial pass may wait for each other.
  return transaction(Effect.andThen(lockBudget(), CallLog.end(node_id, [report])))
}

/** The call of a direct request, as `DirectCalls` writes it. */
export const direct = (intent: Intent, reserved: number | undefined) =>
  transaction(
    Effect.gen(function* () {
      yield* admit(1)
      return yield* (yield* Calls).intend([reserved === undefined ? intent : { ...intent, reserved }])
    }),
  )

export const keepsI18 = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ours = Invariants.all.filter(({ promise }) => promise === "I18")
  assert.strictEqual(ours.length, 2)
  for (const { query } of ours) assert.deepStrictEqual(yield* sql.unsafe(query), [])
})

export const minute = 60_000

/** A running campaign whose agent may talk for nine minutes. */
export const capped = Effect.fnUntraced(function* (
  contacts: number,
  max_spend: string | null,
  slots = contacts,
  fields: object = {},
) {
  const kit = yield* CallsRoom.equipWith({ max_call_seconds })
  return { id: yield* cappedOf(kit, contacts, { max_spend, max_concurrent_calls: slots, ...fields }), kit }
})

/** Another campaign of the same agent, whose contacts have numbers of their own. */
export const cappedOf = Effect.fnUntraced(function* (
  kit: Effect.Success<typeof CallsRoom.equip>,
  contacts: number,
  fields: object,
  series = "",
) {
  const id = yield* campaign(kit, contacts, { ...fields })
  const sql = yield* SqlClient.SqlClient
  if (series !== "") {
    yield* sql`
      update contacts set phone_number = '+1415' || ${series}::text || lpad(position::text, 6, '0')
      where campaign_id = ${id}`
  }
  yield* Campaigns.markRunning(id)
  return id
})

/** What the table said when it refused a call. */
export const refusal = (error: SqlError.SqlError) => String(error.reason.cause)
