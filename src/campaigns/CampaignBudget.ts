/** The concurrency budget: Σ max_concurrent_calls of running campaigns ≤ the account's concurrent_max (spec §3; I4). */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { fits } from "../domain/Budget.ts"
import { BudgetExceeded } from "../domain/Campaign.ts"
import { lockBudget } from "../tenancy/BudgetLock.ts"
import * as Rows from "../tenancy/Rows.ts"
import * as Campaigns from "./Campaigns.ts"

const Limit = Schema.Struct({ concurrent_max: Schema.Int })
const Sum = Schema.Struct({ in_use: Schema.Int })

export const read = Effect.fn("CampaignBudget.read")(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.one(Limit)(sql`select concurrent_max from budget`).pipe(Effect.orDie)
})

/** Reads the slots of all running campaigns except `without`. The caller holds the lock. */
export const readInUse = Effect.fn("CampaignBudget.readInUse")(function* (without: string | null) {
  const sql = yield* SqlClient.SqlClient
  const { in_use } = yield* Rows.one(Sum)(sql`select running_slots(${without}) as in_use`)
  return in_use
})

/**
 * Fails unless `requested` calls fit into the budget together with the other running campaigns. The caller holds the
 * lock.
 */
export const check = Effect.fn("CampaignBudget.check")(function* (
  id: string,
  requested: number,
  concurrent_max: number,
) {
  const in_use = yield* readInUse(id)
  if (!fits(requested, { in_use, concurrent_max }))
    return yield* new BudgetExceeded({ requested, in_use, concurrent_max })
})

/**
 * Locks the budget, checks that the campaign's calls fit into it, and marks the campaign running, in the caller's
 * transaction.
 */
export const claim = Effect.fn("CampaignBudget.claim")(function* (id: string, requested: number) {
  const { concurrent_max } = yield* lockBudget()
  yield* check(id, requested, concurrent_max) // guard: a campaign starts only if its calls fit the budget (I4)
  yield* Campaigns.markRunning(id)
})
