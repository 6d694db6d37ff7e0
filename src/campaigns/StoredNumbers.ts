/** SQL for the numbers of a campaign with their limits and what is used of these, for its preflight and its forecast. */
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Carrier } from "../domain/PhoneNumber.ts"
import type { StoredNumber } from "../domain/PlannedNumber.ts"

const Stored = Schema.Struct({
  carrier: Carrier,
  calls_per_second: Schema.NullOr(Schema.Finite),
  min_seconds_between_calls: Schema.NullOr(Schema.Int),
  max_calls_per_day: Schema.NullOr(Schema.Int),
  begun_today: Schema.Int,
  rests: Schema.Boolean,
  rests_until: Schema.NullOr(Schema.Finite),
}) satisfies Schema.Codec<StoredNumber, unknown>

/** The column. A number that was deleted is not among them. */
export const StoredNumbers = Schema.Array(Stored)

/** `c` is the campaign, `b` the budget, `t.now` the moment. */
export const storedNumbers = (sql: SqlClient.SqlClient) => sql`
  (select coalesce(jsonb_agg(jsonb_build_object('carrier', m.carrier, 'calls_per_second',
      case when jsonb_typeof(m.carrier_config -> 'calls_per_second') = 'number' then m.carrier_config -> 'calls_per_second' end,
      'min_seconds_between_calls', m.min_seconds_between_calls, 'max_calls_per_day', m.max_calls_per_day,
      'begun_today', coalesce(d.begun, 0), 'rests', r.until is not null,
      'rests_until', case when isfinite(r.until) then extract(epoch from r.until) * 1000 end)), '[]')
   from phone_numbers m
   left join number_rests r on r.phone_number_id = m.id and r.until > t.now
   left join lateral (
     select sum(begun)::int as begun from number_days
     where m.max_calls_per_day is not null and phone_number_id = m.id and day = (t.now at time zone b.time_zone)::date) d on true
   where m.id = any(c.caller_numbers || c.phone_number_id))`
