/** What users do with the outstanding callbacks of a campaign (decision 0073): they move and cancel them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Callbacks from "../catalog/Callbacks.ts"
import { callbackDays, type CallbackRefusal } from "../domain/Callback.ts"
import { invalid, InvalidState, NotFound } from "../domain/Refusals.ts"
import { isUuid } from "../domain/Name.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import { lockBudget } from "../tenancy/BudgetLock.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { transaction } from "../tenancy/Transaction.ts"
import * as Campaigns from "./Campaigns.ts"
import { CampaignSignals } from "./dialling/CampaignSignals.ts"
import * as Contacts from "./Contacts.ts"

/** Moves the callback to another time. If the calling window is closed then, it is dialled at the next opening. */
export const move = Effect.fn("CallbackControl.move")(
  function* (campaign: string, contact: string, at: Date) {
    const { budget, found } = yield* findOutstanding(campaign, contact)
    const decision = Callbacks.decide(at, found, budget)
    if (decision._tag === "Refused") return yield* refusals[decision.reason]()
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      update contacts set callback_at = ${decision.at}, callback_by = 'person', due_at = ${decision.at},
        waits_for = 'retry_delay', updated_at = clock_timestamp()
      where id = ${found.id}`
    return yield* finish(found, decision.at)
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

/** Cancels the callback. The contact is completed, because the person was reached in the call before. */
export const cancel = Effect.fn("CallbackControl.cancel")(
  function* (campaign: string, contact: string) {
    const { found } = yield* findOutstanding(campaign, contact)
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      update contacts set status = 'completed', callback_at = null, due_at = '-infinity', waits_for = null,
        updated_at = clock_timestamp()
      where id = ${found.id}`
    yield* Campaigns.endFinished([found.campaign_id])
    return yield* finish(found, null)
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

/** Locks the budget and the campaign. Fails if the contact has no callback that waits. */
const findOutstanding = Effect.fnUntraced(function* (campaign: string, contact: string) {
  const budget = yield* lockBudget()
  const { id } = yield* Campaigns.findForUpdate(campaign)
  const found = isUuid(contact) ? yield* Callbacks.find(contact) : undefined
  if (found === undefined || found.campaign_id !== id) {
    return yield* new NotFound({ resource: "contact", id: contact })
  }
  if (found.callback_at !== null && found.status === "pending") return { budget, found }
  const isInCall = found.status === "in_progress"
  const detail = isInCall
    ? "The contact is in a call. Try again when it has ended"
    : "The contact has no outstanding callback"
  return yield* new InvalidState({ state: found.status, detail })
})

/** Writes the audit entry, signals the change, and returns the contact as it is now. */
const finish = Effect.fnUntraced(function* (
  {
    callback_at,
    campaign_id,
    id,
  }: { readonly campaign_id: string; readonly id: string; readonly callback_at: Date | null },
  after: Date | null,
) {
  const changes = [
    { field: "contact_id", after: id },
    { field: "callback_at", before: textOf(callback_at), after: textOf(after) },
  ]
  yield* AuditTrail.note({ changes })
  yield* AuditTrail.write()
  const sql = yield* SqlClient.SqlClient
  const { account } = yield* CurrentTenant
  const signals = yield* CampaignSignals
  yield* sql.afterCommit(signals.announceChange(account.slug, campaign_id))
  return yield* Contacts.find(campaign_id, id)
})

const textOf = (at: Date | null) => at?.toISOString() ?? null

const stateRefusal = (state: string, detail: string) => () => new InvalidState({ state, detail })

const refusals: Record<CallbackRefusal, () => InvalidState | ReturnType<typeof invalid>> = {
  in_the_past: () => invalid("/at", "must be in the future"),
  too_far_ahead: () => invalid("/at", `must be at most ${callbackDays} days ahead`),
  do_not_call: stateRefusal(
    "do_not_call",
    "The number is on the do-not-call list, so it is not dialled. Cancel the callback",
  ),
  callbacks_used_up: stateRefusal("pending", "The contact was called back as often as its campaign permits"),
  outside_window: stateRefusal(
    "outside_window",
    "The campaign's calling window is never open for this contact. Cancel the callback",
  ),
}
