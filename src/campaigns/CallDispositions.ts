/**
 * Sets the disposition of a call by a person's choice (decision 0086). The transaction holds the budget's lock, as a
 * dial pass does, so a contact that a final disposition ends is either already claimed for a call or never dialled
 * again.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { authorOf } from "../domain/AgentVersion.ts"
import { makeDisposition } from "../domain/CallDisposition.ts"
import { Disposition } from "../domain/Disposition.ts"
import { isUuid } from "../domain/Name.ts"
import { CurrentPrincipal } from "../domain/Principal.ts"
import { invalid, NotFound } from "../domain/Refusals.ts"
import { EventSignals } from "../events/EventSignals.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { lockBudget } from "../tenancy/BudgetLock.ts"
import { json } from "../tenancy/Json.ts"
import * as Rows from "../tenancy/Rows.ts"
import { transaction } from "../tenancy/Transaction.ts"
import * as Campaigns from "./Campaigns.ts"
import { announceAfterCommit } from "./dialling/CampaignSignals.ts"

const Row = Schema.Struct({
  id: Schema.String,
  campaign_id: Schema.NullOr(Schema.String),
  before: Schema.NullOr(Schema.String),
  /** Null if the agent was deleted. */
  dispositions: Schema.NullOr(Schema.Array(Disposition)),
  now: Schema.Date,
})

export const set = Effect.fn("CallDispositions.set")(
  function* (id: string, key: string) {
    yield* lockBudget()
    const sql = yield* SqlClient.SqlClient
    const call = isUuid(id)
      ? yield* Rows.first(Row)(sql`
          select c.id, c.campaign_id, c.disposition ->> 'key' as before, a.dispositions, clock_timestamp() as now
          from calls c left join agents a on a.id = c.agent_id where c.id = ${id} for update of c`)
      : undefined
    if (call === undefined) return yield* new NotFound({ resource: "call", id })
    const chosen = call.dispositions?.find((one) => one.key === key)
    if (chosen === undefined)
      return yield* invalid("/key", "must be one of the present dispositions of the call's agent")
    const by = authorOf(yield* CurrentPrincipal)
    const disposition = makeDisposition(chosen, { source: "person", by, at: call.now })
    yield* sql`update calls set disposition = ${json(disposition)} where id = ${call.id}`
    yield* sql`select events_append('call.disposition_set', array[${call.id}::uuid])`
    yield* AuditTrail.note({ changes: [{ field: "disposition", before: call.before, after: key }] })
    yield* AuditTrail.write()
    const events = yield* EventSignals
    yield* sql.afterCommit(events.written((yield* CurrentTenant).account.slug))
    if (call.campaign_id !== null) {
      yield* Campaigns.endFinished([call.campaign_id])
      yield* announceAfterCommit(call.campaign_id)
    }
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)
