/**
 * Withdraws contacts of a campaign. The transaction holds the budget's lock, as does one that dials: a contact is
 * claimed for a call before it, or is never dialled. A call in progress continues, and no attempt follows (the trigger
 * `contacts_withdrawn` skips contacts that would wait for one).
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ContactId, ContactStatus, SkipReason } from "../../domain/Contact.ts"
import type { WithdrawnContact, WithdrawnContacts } from "../../domain/ContactChange.ts"
import { isUuid } from "../../domain/Name.ts"
import { InvalidState, NotFound } from "../../domain/Refusals.ts"
import * as AuditTrail from "../../tenancy/AuditTrail.ts"
import { lockBudget } from "../../tenancy/BudgetLock.ts"
import { texts, uuids } from "../../tenancy/Columns.ts"
import * as Rows from "../../tenancy/Rows.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import { announceAfterCommit } from "../dialling/CampaignSignals.ts"
import * as Campaigns from "../Campaigns.ts"
import * as Contacts from "../Contacts.ts"

const Row = Schema.Struct({
  id: ContactId,
  external_id: Schema.NullOr(Schema.String),
  status: ContactStatus,
  skip_reason: Schema.NullOr(SkipReason),
})
type Row = typeof Row.Type

/** Withdraws one contact and returns it. One that is completed, failed or skipped otherwise is refused. */
export const withdraw = Effect.fn("ContactWithdrawal.withdraw")(
  function* (campaignId: string, id: string) {
    yield* lockBudget()
    const campaign = yield* Campaigns.findForUpdate(campaignId)
    const sql = yield* SqlClient.SqlClient
    const contact = isUuid(id)
      ? yield* Rows.first(Row)(sql`
          select id, external_id, status, skip_reason from contacts where campaign_id = ${campaign.id} and id = ${id}`)
      : undefined
    if (contact === undefined) return yield* new NotFound({ resource: "contact", id })
    if (resultOf(contact) === "settled") {
      const detail = `The contact is ${contact.status} and is not dialled again, so it cannot be withdrawn`
      return yield* new InvalidState({ state: contact.status, detail })
    }
    yield* write(campaign, [contact])
    return yield* Contacts.find(campaign.id, id)
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

/** Withdraws the contacts with these external ids, and says what became of each. */
export const withdrawMany = Effect.fn("ContactWithdrawal.withdrawMany")(
  function* (campaignId: string, external_ids: ReadonlyArray<string>) {
    yield* lockBudget()
    const campaign = yield* Campaigns.findForUpdate(campaignId)
    const sql = yield* SqlClient.SqlClient
    const found = yield* Rows.all(Row)(sql`
      select c.id, c.external_id, c.status, c.skip_reason
      from unnest(${texts([...new Set(external_ids)])}) as r(external_id)
      join contacts c on c.campaign_id = ${campaign.id} and c.external_id = r.external_id`)
    yield* write(campaign, found)
    const contacts = new Map(found.map((contact) => [contact.external_id, contact]))
    const items = external_ids.map((external_id): WithdrawnContact => {
      const contact = contacts.get(external_id)
      return contact === undefined
        ? { external_id, contact_id: null, result: "unknown" }
        : { external_id, contact_id: contact.id, result: resultOf(contact) }
    })
    return { items } satisfies WithdrawnContacts
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

/** The result for a contact that has this status before it is withdrawn. */
const resultOf = ({ skip_reason, status }: Row): "withdrawn" | "in_progress" | "settled" => {
  if (status === "in_progress") return "in_progress"
  return status === "pending" || skip_reason === "withdrawn" ? "withdrawn" : "settled"
}

/** Withdraws those of the contacts that are open. The campaign ends if none is left to call and none is in a call. */
const write = Effect.fnUntraced(function* (campaign: Campaigns.CampaignRow, contacts: ReadonlyArray<Row>) {
  const sql = yield* SqlClient.SqlClient
  const withdrawn = yield* sql`
    update contacts c set withdrawn_at = clock_timestamp(), updated_at = clock_timestamp(), callback_at = null
    from unnest(${uuids(contacts.map(({ id }) => id))}) as w(id)
    where c.id = w.id and c.status in ('pending', 'in_progress') and c.withdrawn_at is null
    returning c.id`
  if (withdrawn.length === 0) return
  yield* Campaigns.endFinished([campaign.id])
  yield* AuditTrail.note({ changes: [{ field: "contacts_withdrawn", after: withdrawn.length }] })
  yield* AuditTrail.write()
  yield* announceAfterCommit(campaign.id)
})
