/**
 * The lock on the account's budget. Every transaction that starts campaigns, or begins or ends calls, takes it first.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CallingWindow } from "../domain/CallingWindow.ts"
import * as Rows from "./Rows.ts"

/**
 * The planner's settings for the rest of the transaction. PostgreSQL makes a plan while a table is small and keeps it
 * when the table has grown, and its statistics lag behind a table that grows by thousands of rows a second. It then
 * scans all calls for a batch of ends, or compares each end with every call. These settings give one plan for all
 * sizes: no scans, and the cost is in the index entries that are read.
 */
const planning = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  plan_cache_mode: "force_generic_plan",
  cpu_index_tuple_cost: "1",
  random_page_cost: "0",
  // Up to PostgreSQL 17 a table of one row then looks expensive enough to compile its scan, which takes longer than the
  // scan.
  jit: "off",
}

const settings = Object.entries(planning)
  .map(([name, value]) => `set_config('${name}', '${value}', true)`)
  .join(", ")

const Budget = Schema.Struct({
  concurrent_max: Schema.Int,
  calling_window: Schema.NullOr(Schema.toType(CallingWindow)),
  now: Schema.Date,
})

/**
 * Locks the account's one budget row until the transaction ends, and applies the settings above. Such transactions
 * therefore run one after another, in one process or in several: two starts never see the same sum, and calls begin in
 * the order of their times. Read counts in a later statement: this one sees them as they were before it waited for the
 * lock. Fails with SQLSTATE 57P03 if the account is being deleted.
 */
export const lockBudget = Effect.fn("BudgetLock.lockBudget")(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.one(Budget)(sql`
    select concurrent_max, calling_window, ${sql.literal(settings)}, clock_timestamp() as now, refuse_if_closed(budget)
    from budget
    for update -- guard: transactions that start campaigns, or begin or end calls, follow one another (I4)
  `)
})
