/**
 * SQL for the calls that all numbers of a campaign may begin in a day, for its preflight: `b` is the budget, `t.now`
 * the moment.
 */
import type { SqlClient } from "effect/sql"

/** Null if one of the numbers has no limit per day. `left` is what is left of today. */
export const numbersDay = (sql: SqlClient.SqlClient, campaign: string) => sql`
  (select case when bool_and(n.max_calls_per_day is not null) then jsonb_build_object(
      'limit', sum(n.max_calls_per_day), 'left', sum(greatest(0, n.max_calls_per_day - coalesce(d.begun, 0)))) end
   from campaigns c
   join phone_numbers n on n.id = any(c.caller_numbers || c.phone_number_id)
   left join lateral (
     select sum(begun) as begun from number_days
     where phone_number_id = n.id and day = (t.now at time zone b.time_zone)::date) d on true
   where c.id = ${campaign})`
