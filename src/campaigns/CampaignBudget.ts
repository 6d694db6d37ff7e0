/** The concurrency budget: Σ max_concurrent_calls of running campaigns ≤ the account's concurrent_max (spec §3; I4). */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { fits } from "../domain/Budget.ts"
import { BudgetExceeded } from "../domain/Campaign.ts"
import { CallingWindow } from "../domain/CallingWindow.ts"
import * as Rows from "../tenancy/Rows.ts"
import { byIndex } from "../tenancy/Transaction.ts"
import * as Campaigns from "./Campaigns.ts"

const Budget = Schema.Struct({
  concurrent_max: Schema.Int,
  calling_window: Schema.NullOr(Schema.toType(CallingWindow)),
  now: Schema.Date,
})
const Sum = Schema.Struct({ in_use: Schema.Int })

/**
 * Locks the account's one budget row until the transaction ends. Everything that starts, ends or dials takes it first:
 * two starts that arrive together, in two processes, must not both see the old sum.
 */
export const lock = Effect.fn("CampaignBudget.lock")(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.one(Budget)(sql`
    select concurrent_max, calling_window, ${byIndex(sql)}, clock_timestamp() as now from budget for update`)
})

export const read = Effect.fn("CampaignBudget.read")(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.one(Budget)(sql`select concurrent_max, calling_window, clock_timestamp() as now from budget`).pipe(
    Effect.orDie,
  )
})

/** What the running campaigns have taken, without this one; the caller holds the lock. */
export const inUse = Effect.fn("CampaignBudget.inUse")(function* (without: string | null) {
  const sql = yield* SqlClient.SqlClient
  const { in_use } = yield* Rows.one(Sum)(sql`
    select coalesce(sum(max_concurrent_calls), 0)::int as in_use from campaigns
    where status = 'running' and id is distinct from ${without}`)
  return in_use
})

/** Whether `requested` calls fit beside the other running campaigns; the caller holds the lock. */
export const check = Effect.fn("CampaignBudget.check")(function* (
  id: string,
  requested: number,
  concurrent_max: number,
) {
  const in_use = yield* inUse(id)
  if (!fits(requested, { in_use, concurrent_max }))
    return yield* new BudgetExceeded({ requested, in_use, concurrent_max })
})

/** Takes room and marks the campaign running, in the caller's transaction. */
export const claim = Effect.fn("CampaignBudget.claim")(function* (id: string, requested: number) {
  const { concurrent_max } = yield* lock()
  yield* check(id, requested, concurrent_max)
  yield* Campaigns.markRunning(id)
})
