/**
 * Decides what a process has to do for a campaign that is placed with it, and issues the epoch under which it may dial.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Placement } from "../../cluster/Placement.ts"
import { CampaignStatus } from "../../domain/Campaign.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import * as Rows from "../../tenancy/Rows.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import { CampaignSignals } from "./CampaignSignals.ts"
import { startDue } from "./Schedule.ts"

export type Opening =
  /** Its previous dialler is fenced from now on. */
  | { readonly _tag: "Dial"; readonly epoch: number }
  /** The scheduled time has come, but the budget has no room. */
  | { readonly _tag: "InLine" }
  /** Another process dials the campaign, or there is nothing to do now. */
  | { readonly _tag: "Nothing" }

const Row = Schema.Struct({
  status: CampaignStatus,
  scheduled_at: Schema.NullOr(Schema.Date),
  is_due: Schema.NullOr(Schema.Boolean),
})

/**
 * Opens a campaign. Runs under the budget's lock, like every change that gives a campaign work, so that no work is
 * added meanwhile.
 */
export const open = Effect.fn("Opening.open")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const placement = yield* Placement
  const signals = yield* CampaignSignals
  const { account } = yield* CurrentTenant
  // Locks the budget. Any process may start a campaign that is due, so this comes before every check.
  const { started } = yield* startDue()
  yield* sql.afterCommit(
    Effect.forEach(started, (each) => signals.announceChange(account.slug, each), { discard: true }),
  )
  if (!(yield* placement.claim(id))) return nothing
  const row = yield* Rows.first(Row)(sql`
    select status, scheduled_at, scheduled_at <= clock_timestamp() as is_due from campaigns where id = ${id}`)
  if (row?.status === "running") return { _tag: "Dial", epoch: yield* nextEpoch(id) } satisfies Opening
  if (row?.status === "draft" && row.is_due === true) return { _tag: "InLine" } satisfies Opening
  if (row?.status === "draft" && row.scheduled_at !== null) yield* placement.add(id, row.scheduled_at)
  else yield* placement.remove(id)
  return nothing
}, transaction)

const nothing: Opening = { _tag: "Nothing" }

const nextEpoch = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ epoch: number }>`
    update campaigns set epoch = epoch + 1 where id = ${id} returning epoch`
  return row?.epoch ?? 0
})
