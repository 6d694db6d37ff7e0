/** Adds contacts to a campaign, and corrects those that it has, while it is a draft, runs or is paused. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { isTerminal } from "../../domain/Campaign.ts"
import { ContactId, ContactStatus } from "../../domain/Contact.ts"
import type { NewContact } from "../../domain/ContactChange.ts"
import { E164 } from "../../domain/E164.ts"
import { requirePermission } from "../../domain/Principal.ts"
import { Invalid, InvalidState } from "../../domain/Refusals.ts"
import * as AuditTrail from "../../tenancy/AuditTrail.ts"
import { lockBudget } from "../../tenancy/BudgetLock.ts"
import { integers, jsons, texts, uuids } from "../../tenancy/Columns.ts"
import * as Rows from "../../tenancy/Rows.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import { type Addition, type AdditionPlan, planAdditions, type WrittenContact } from "./AdditionPlan.ts"
import { announceAfterCommit } from "../dialling/CampaignSignals.ts"
import * as Campaigns from "../Campaigns.ts"
import { contactIds } from "./ContactIds.ts"
import { normalise } from "./NumberFormat.ts"
import * as Preferred from "../dialling/Preferred.ts"

/** Rows whose numbers are read before other fibers run: an unknown prefix takes up to 0.1 ms. */
const rowsAtATime = 50

/**
 * Adds the contacts, and changes those whose `external_id` the campaign has. The numbers are read before the budget is
 * locked. The campaign's end and an addition follow one another under that lock: the addition is refused, or the
 * campaign stays open for it.
 */
export const add = Effect.fn("ContactAdditions.add")(function* (id: string, contacts: ReadonlyArray<NewContact>) {
  const found = yield* Campaigns.find(id)
  const rules = yield* Campaigns.readImportRules(found.id)
  const additions = yield* read(contacts, rules.default_country ?? undefined)
  return yield* transaction(write(found.id, additions, rules)).pipe(Effect.catchTag("SqlError", Effect.die))
})

const read = Effect.fnUntraced(function* (contacts: ReadonlyArray<NewContact>, country: string | undefined) {
  const additions: Array<Addition> = []
  for (const contact of contacts) {
    additions.push({
      contact,
      number: normalise(contact.phone_number, country),
      others: othersOf(contact, country),
    })
    if (additions.length % rowsAtATime === 0) yield* Effect.yieldNow
  }
  return additions
})

const othersOf = ({ additional_numbers }: NewContact, country: string | undefined) => {
  const numbers = additional_numbers?.filter((text) => text.trim() !== "").map((text) => normalise(text, country))
  if (numbers === undefined) return undefined
  const possible = numbers.filter((number) => number !== undefined)
  return possible.length < numbers.length ? null : possible
}

const write = Effect.fnUntraced(function* (
  id: string,
  additions: ReadonlyArray<Addition>,
  { default_country, duplicate_policy }: Effect.Success<ReturnType<typeof Campaigns.readImportRules>>,
) {
  yield* lockBudget()
  const campaign = yield* Campaigns.findForUpdate(id)
  const { columns, counts, scheduled_at, status } = campaign
  if (isTerminal(status)) {
    return yield* new InvalidState({
      state: status,
      detail: `The campaign is ${status} and takes no more contacts. Add them to another campaign.`,
    })
  }
  if (status === "running" || (status === "draft" && scheduled_at !== null)) yield* requirePermission("dial")
  const keepsDuplicates = duplicate_policy === "keep"
  const known = yield* findKnown(id, additions)
  const owners = keepsDuplicates ? new Map<string, ContactId>() : yield* findOwners(id, additions)
  const list = { total: counts.total, columns, default_country: default_country ?? undefined }
  const nextId = contactIds()
  const plan = planAdditions(additions, { ...list, known, owners, keepsDuplicates }, () => ContactId.make(nextId()))
  if (duplicate_policy === "reject" && plan.report.duplicate > 0) return yield* new Invalid({ errors: faultsOf(plan) })
  if (plan.created.length + plan.updated.length === 0) return plan.report
  yield* insert(id, counts.total, plan.created)
  yield* change(plan.updated)
  yield* record(campaign, plan)
  yield* noteCounts(plan)
  yield* AuditTrail.write()
  yield* announceAfterCommit(id)
  return plan.report
})

/** A campaign with the policy `reject` takes a batch without duplicates, or nothing of it. */
const faultsOf = ({ report }: AdditionPlan) =>
  report.items.flatMap(({ contact_id, result }, at) =>
    result === "duplicate"
      ? [
          {
            pointer: `/contacts/${at}`,
            detail: `repeats the contact ${contact_id}, and this campaign rejects duplicates`,
          },
        ]
      : [],
  )

const Known = Schema.Struct({
  id: ContactId,
  external_id: Schema.String,
  status: ContactStatus,
  attempts: Schema.Int,
  has_same_number: Schema.Boolean,
  has_same_fields: Schema.Boolean,
  priority: Schema.Int,
  additional_numbers: Schema.Array(E164),
})

const findKnown = Effect.fnUntraced(function* (id: string, additions: ReadonlyArray<Addition>) {
  const named = additions.flatMap(({ contact, number }) =>
    contact.external_id === undefined ? [] : [{ ...contact, number: number ?? null }],
  )
  if (named.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Known)(sql`
    select distinct on (r.external_id) c.id, c.external_id, c.status, c.attempts, c.priority,
      coalesce(c.additional_numbers, '{}') as additional_numbers,
      c.phone_number is not distinct from r.phone_number as has_same_number,
      c.custom_fields = r.custom_fields as has_same_fields
    from unnest(${texts(named.map(({ external_id }) => external_id ?? null))}, ${texts(named.map(({ number }) => number))},
                ${jsons(named.map(({ custom_fields }) => custom_fields ?? {}))})
      with ordinality as r(external_id, phone_number, custom_fields, at)
    join contacts c on c.campaign_id = ${id} and c.external_id = r.external_id
    order by r.external_id, r.at`)
})

const Owner = Schema.Struct({ phone_number: Schema.String, id: ContactId })

/** The first contact of each number of the batch. */
const findOwners = Effect.fnUntraced(function* (id: string, additions: ReadonlyArray<Addition>) {
  const numbers = additions.flatMap(({ number }) => (number === undefined ? [] : [number]))
  if (numbers.length === 0) return new Map<string, ContactId>()
  const sql = yield* SqlClient.SqlClient
  const owners = yield* Rows.all(Owner)(sql`
    select distinct on (c.phone_number) c.phone_number, c.id
    from unnest(${texts([...new Set(numbers)])}) as r(phone_number)
    join contacts c on c.campaign_id = ${id} and c.phone_number = r.phone_number
    order by c.phone_number, c.position`)
  return new Map(owners.map(({ id, phone_number }) => [phone_number, id]))
})

/** Positions have no gaps, so the new contacts follow the last one. */
const insert = Effect.fnUntraced(function* (campaign: string, total: number, created: ReadonlyArray<WrittenContact>) {
  if (created.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into contacts (id, campaign_id, position, phone_number, external_id, custom_fields, priority, additional_numbers, due_at)
    select n.id, ${campaign}, ${total}::int + n.at, n.phone_number, n.external_id, n.custom_fields, n.priority, string_to_array(n.additional_numbers, ','),
      case when n.priority > 0 then ${sql.literal(Preferred.firstInLine)} else '-infinity' end
    from ${unnest(sql, created)} with ordinality as n(id, phone_number, external_id, custom_fields, priority, additional_numbers, at)`
})

const change = Effect.fnUntraced(function* (updated: ReadonlyArray<WrittenContact>) {
  if (updated.length === 0) return
  const sql = yield* SqlClient.SqlClient
  // A contact that was put off when its turn came is judged again: its new number or field may mean another zone or place.
  yield* sql`
    update contacts c set phone_number = n.phone_number, custom_fields = n.custom_fields, updated_at = clock_timestamp(),
      priority = n.priority, additional_numbers = string_to_array(n.additional_numbers, ','),
      due_at = case when c.waits_for <> 'retry_delay' then clock_timestamp()
        else ${sql.literal(Preferred.dueAtAfter("n.priority", "p.last_position"))} end,
      waits_for = case when c.waits_for = 'retry_delay' then c.waits_for end
    from ${unnest(sql, updated)} as n(id, phone_number, external_id, custom_fields, priority, additional_numbers), campaign_progress p
    where c.id = n.id and p.campaign_id = c.campaign_id`
})

const unnest = (sql: SqlClient.SqlClient, contacts: ReadonlyArray<WrittenContact>) => sql`
  unnest(${uuids(contacts.map(({ id }) => id))}, ${texts(contacts.map(({ phone_number }) => phone_number))},
         ${texts(contacts.map(({ external_id }) => external_id))},
         ${jsons(contacts.map(({ custom_fields }) => custom_fields))}, ${integers(contacts.map(({ priority }) => priority))},
         ${texts(contacts.map(({ additional_numbers }) => (additional_numbers.length === 0 ? null : additional_numbers.join())))})`

/**
 * Counts the new contacts as accepted rows, of which the total is the sum. A draft, or a campaign with a new column,
 * gets a new report on variables; a running one does not, since that report reads all contacts.
 */
const record = Effect.fnUntraced(function* (campaign: Campaigns.CampaignRow, { columns, created }: AdditionPlan) {
  const sql = yield* SqlClient.SqlClient
  const isChecked = campaign.status !== "draft" && columns.length === campaign.columns.length
  const more = created.length
  yield* sql`
    update campaigns set columns = ${columns}, variables_of = case when ${isChecked} then variables_of end,
      import = import || jsonb_build_object('rows', (import ->> 'rows')::int + ${more}::int,
        'accepted', (import ->> 'accepted')::int + ${more}::int)
    where id = ${campaign.id}`
})

const noteCounts = ({ report: { created, updated } }: AdditionPlan) =>
  AuditTrail.note({
    changes: [
      ...(created === 0 ? [] : [{ field: "contacts_added", after: created }]),
      ...(updated === 0 ? [] : [{ field: "contacts_updated", after: updated }]),
    ],
  })
