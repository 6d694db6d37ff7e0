/**
 * Writes the wish not to be called again that a person says in a call: for all calls of the account, or for the subject
 * of the call's campaign, as its `opt_out_scope` says (decision 0089). The person said it for themselves, and not for the
 * phone on which they were reached, so it concerns all numbers of the contact (decision 0087).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

interface Wish {
  /** The number of the person in the call. */
  readonly phone_number: string
  readonly call_id: string
  /** Null keeps the reason of an entry that is there. */
  readonly reason: string | null
}

/** Writing the same wish again changes nothing. An entry that was to expire stays for good. */
export const add = Effect.fn("CallOptOuts.add")(function* ({ call_id, phone_number, reason }: Wish) {
  const sql = yield* SqlClient.SqlClient
  const onConflict = (table: string) => sql`
      do update set source = 'call', call_id = excluded.call_id, expires_at = null,
        reason = case when ${reason}::text is null then ${sql(table)}.reason else excluded.reason end`
  yield* sql`
    with this as (
      select case k.opt_out_scope when 'subject' then k.subject end as subject,
        case when p.id is not null then p.phone_number || p.additional_numbers end as numbers
      from calls c left join campaigns k on k.id = c.campaign_id
        left join contacts p on p.id = c.contact_id and p.additional_numbers is not null
      where c.id = ${call_id}
    ), wish as (
      select n.number as phone_number, 'call' as source, ${call_id}::uuid as call_id, this.subject,
        case when n.number = ${phone_number} then ${reason ?? "asked for in a call"}::text
          else 'asked for in a call to another number of the person' end as reason
      from this cross join lateral (
        select ${phone_number}::text as number union select unnest(this.numbers)) n
      order by n.number
    ), of_subject as (
      insert into subject_suppressions (phone_number, source, call_id, reason, subject)
      select phone_number, source, call_id, reason, subject from wish where subject is not null
      on conflict (phone_number, subject_key) ${onConflict("subject_suppressions")}
    )
    insert into suppressions (phone_number, source, call_id, reason)
    select phone_number, source, call_id, reason from wish where subject is null
    on conflict (phone_number) ${onConflict("suppressions")}`
})

/** SQL for how the person of a call `c` opted out, as the API shows it (`CallOptOut`): with the subject of the wish. */
export const optOutOf = (call: string) => `${call}.opt_out || coalesce((
  select jsonb_build_object('subject', k.subject) from campaigns k
  where k.id = ${call}.campaign_id and k.opt_out_scope = 'subject' and k.subject is not null), '{}')`
