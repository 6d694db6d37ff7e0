/**
 * Removes a person's number and fields from contacts. The rows remain, so that a campaign's counts and positions stay
 * right.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { E164 } from "../domain/E164.ts"

/** The ids of contacts with the number, as the first one or a further one, in any campaign. */
export const find = Effect.fn("ContactErasure.find")(function* (number: E164, atMost: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`
    select id from contacts where phone_number = ${number} or additional_numbers @> array[${number}::text] limit ${atMost}`
  return rows.map(({ id }) => id)
})

/**
 * Erases contacts in the caller's transaction, which holds the budget's lock. A contact that waited for a call is
 * skipped, which may end its campaign. Returns the campaigns that changed.
 */
export const erase = Effect.fn("ContactErasure.erase")(function* (ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const chosen = sql`any(${[...ids]}::uuid[])`
  // A report on variables names the first contacts that lack one, and quotes what the agent would say to them.
  const campaigns = yield* sql<{ readonly id: string }>`
    with locked as (
      select id from campaigns where id in (select campaign_id from contacts where id = ${chosen})
      order by id for no key update)
    update campaigns c set variables = null, variables_of = null from locked where c.id = locked.id returning c.id`
  const erased = yield* sql`
    update contacts set phone_number = '', additional_numbers = null, custom_fields = '{}', external_id = null, last_call_id = null,
      status = case status when 'pending' then 'skipped' else status end,
      skip_reason = case status when 'pending' then 'erased' else skip_reason end,
      due_at = '-infinity', waits_for = null, callback_at = null, updated_at = clock_timestamp()
    where id = ${chosen} returning id`
  const decisions = yield* sql`delete from decisions where contact_id = ${chosen} returning reason`
  return { contacts: erased.length, decisions: decisions.length, campaigns: campaigns.map(({ id }) => id) }
})
