/**
 * Puts the other numbers of a person who asked not to be called on the do-not-call list (decision 0087). The person said
 * it for themselves, and not for the phone on which they were reached.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** `callId`: the call of a campaign in which the person asked. Does nothing if the contact has one number. */
export const suppressOthers = Effect.fn("PersonOptOut.suppressOthers")(function* (callId: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into suppressions (phone_number, source, call_id, reason)
    select distinct n.number, 'call', c.id, 'asked for in a call to another number of the person'
    from calls c join contacts k on k.id = c.contact_id
      cross join lateral unnest(k.phone_number || k.additional_numbers) n(number)
    where c.id = ${callId} and k.additional_numbers is not null and n.number is distinct from c.to_number
    order by n.number
    on conflict (phone_number) do update set source = 'call', call_id = excluded.call_id, expires_at = null`
})
