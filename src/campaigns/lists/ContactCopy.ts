/** Copies contacts of one campaign into another, as contacts that were never called. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { CopyCampaign } from "../../domain/CampaignCopy.ts"
import type { ImportReport } from "../../domain/ImportReport.ts"
import { InvalidState } from "../../domain/Refusals.ts"
import type { CampaignRow } from "../Campaigns.ts"
import { hasDisposition } from "../Contacts.ts"
import { firstInLine } from "../dialling/Preferred.ts"

/** A million contacts take minutes on a slow disk. The statement locks no contact, and no dial transaction waits for it. */
const longestMs = 600_000

/**
 * Waits until the copies in progress are committed, and lets no other begin before the transaction ends. Without it, a
 * copy that has read a person's number could commit it after the person was erased.
 */
export const holdCopies = Effect.fn("ContactCopy.holdCopies")(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select pg_advisory_xact_lock(hashtextextended('contacts_copied', 0))`
})

/**
 * Copies the chosen contacts in their order, as they are at one moment. Withdrawn and erased contacts are left out,
 * because they must not be called again. Fails if no contact is left.
 */
export const copy = Effect.fn("ContactCopy.copy")(function* (
  from: Pick<CampaignRow, "id" | "status">,
  into: string,
  { dispositions, outcomes, statuses }: Omit<CopyCampaign, "name">,
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select set_config('statement_timeout', ${String(longestMs)}, true)`
  yield* sql`select pg_advisory_xact_lock_shared(hashtextextended('contacts_copied', 0))`
  const chosen = sql.and([
    sql`campaign_id = ${from.id} and phone_number <> '' and withdrawn_at is null`,
    ...(statuses === undefined ? [] : [sql`status = any(${[...statuses]}::text[])`]),
    ...(outcomes === undefined ? [] : [sql`outcome = any(${[...outcomes]}::text[])`]),
    ...(dispositions === undefined ? [] : [hasDisposition(sql, dispositions)]),
  ])
  const [row] = yield* sql<{ readonly copied: number }>`
    with copied as (
      insert into contacts (id, campaign_id, position, phone_number, external_id, custom_fields, priority, additional_numbers, due_at)
      select uuid_at(clock_timestamp()), ${into}, row_number() over (order by position), phone_number, external_id,
        custom_fields, priority, additional_numbers, case when priority > 0 then ${sql.literal(firstInLine)} else '-infinity' end
      from contacts where ${chosen}
      returning 1)
    select count(*)::int as copied from copied`
  const accepted = row?.copied ?? 0
  if (accepted === 0) {
    const detail = "No contact that may be called again matches. Choose other statuses, outcomes or dispositions"
    return yield* new InvalidState({ state: from.status, detail })
  }
  return { rows: accepted, accepted, duplicates: 0, invalid: 0, errors: [] } satisfies ImportReport
})
