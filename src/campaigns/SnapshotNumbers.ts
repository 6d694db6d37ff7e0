/** SQL for what the numbers of a campaign may do at the moment of a snapshot: `c` is the campaign, `b` the budget. */
import type { SqlClient } from "effect/sql"

/** Null for a campaign with one number that has no limit of its own and does not rest. */
export const callerNumbers = (sql: SqlClient.SqlClient) => sql`
  (select case when count(*) > 1 or bool_or(n.resting or n.is_limited) then jsonb_build_object(
      'total', count(*), 'free', count(*) filter (where n.free_at <= t.now), 'resting', count(*) filter (where n.resting),
      'at_daily_limit', count(*) filter (where n.at_daily_limit),
      'next_at', case when min(n.free_at) > t.now and isfinite(min(n.free_at)) then min(n.free_at) end) end
   from (
     select d.at_daily_limit, r.until is not null as resting,
       m.max_calls_per_day is not null or m.min_seconds_between_calls is not null as is_limited,
       greatest(t.now, p.free_at, r.until,
         case when d.at_daily_limit then (d.today + 1)::timestamp at time zone b.time_zone end) as free_at
     from phone_numbers m
     left join number_paces p on p.phone_number_id = m.id
     left join number_rests r on r.phone_number_id = m.id and r.until > t.now
     cross join lateral (
       select (t.now at time zone b.time_zone)::date as today, m.max_calls_per_day <= coalesce((
         select sum(begun) from number_days
         where phone_number_id = m.id and day = (t.now at time zone b.time_zone)::date), 0) as at_daily_limit) d
     where m.id = any(c.caller_numbers || c.phone_number_id)) n)`
