/** Starts drafts whose time has come, oldest first. A draft that finds no room in the budget waits in line (I10). */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { lineUp } from "../../domain/Budget.ts"
import { CampaignFields } from "../../domain/Campaign.ts"
import * as CampaignRules from "../../catalog/CampaignRules.ts"
import { lockBudget } from "../../tenancy/BudgetLock.ts"
import * as Rows from "../../tenancy/Rows.ts"
import * as CampaignBudget from "../CampaignBudget.ts"
import * as Campaigns from "../Campaigns.ts"
import * as DialMetrics from "./DialMetrics.ts"

const Draft = Schema.Struct({
  id: Schema.String,
  max_concurrent_calls: CampaignFields.max_concurrent_calls,
  seconds_late: Schema.Finite,
  is_in_line: Schema.Boolean,
})

/**
 * Starts the drafts that are due and fit into the budget, in the caller's transaction. Returns the ids it started, and
 * how many wait.
 */
export const startDue = Effect.fn("Schedule.startDue")(function* () {
  const sql = yield* SqlClient.SqlClient
  const { concurrent_max } = yield* lockBudget()
  const drafts = yield* Rows.all(Draft)(sql`
    select id, max_concurrent_calls, coalesce(waiting_for = 'budget', false) as is_in_line,
      extract(epoch from clock_timestamp() - scheduled_at)::float8 as seconds_late
    from campaigns where status = 'draft' and scheduled_at <= clock_timestamp()
    order by scheduled_at, id for no key update`)
  const { start, wait } = lineUp(drafts, { in_use: yield* CampaignBudget.readInUse(null), concurrent_max })
  yield* CampaignRules.freezeAll(start)
  for (const id of start) yield* Campaigns.markRunning(id)
  for (const { id, is_in_line, seconds_late } of drafts) {
    if (!is_in_line && start.includes(id)) yield* sql.afterCommit(DialMetrics.recordStart(seconds_late))
  }
  for (const id of wait) yield* Campaigns.markWaiting(id, "budget")
  return { started: start, waiting: wait.length }
})
