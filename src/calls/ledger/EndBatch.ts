/** The work of the transaction that ends calls: lock, take, write, settle (I5, I6). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountSlug } from "../../domain/Account.ts"
import { lockBudget } from "../../tenancy/BudgetLock.ts"
import { ExtractionSignals } from "../extraction/ExtractionSignals.ts"
import type { AfterCall } from "./AfterCall.ts"
import * as CallLog from "./CallLog.ts"

interface EndBatch {
  readonly node: string
  readonly account: AccountSlug
  readonly after: AfterCall["Service"]
  /** Called once, when the budget is locked: ends that arrive during the wait for the lock are written too. */
  readonly take: () => ReadonlyArray<CallLog.EndReport>
}

/** Returns the calls that ended, without those that had already ended or that another process owns. */
export const endBatch = Effect.fn("EndBatch.endBatch")(function* ({ account, after, node, take }: EndBatch) {
  yield* lockBudget()
  const reports = take()
  const ids = new Set(reports.flatMap(({ call }) => call.campaign_id ?? []))
  const campaigns = yield* after.lockCampaigns(account, [...ids])
  const ended = yield* CallLog.end(node, reports)
  if (ended.length > 0) yield* after.settle(ended, campaigns)
  if (ended.some(({ owes_extraction }) => owes_extraction)) {
    const { wake } = yield* ExtractionSignals
    yield* (yield* SqlClient.SqlClient).afterCommit(wake(account))
  }
  return ended
})
