/** Counts the use of the cost caps at the moment of dialling, while the budget's row is locked (I3, I9). */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { admission, type Admission } from "../../domain/Cap.ts"
import { DailySpend } from "../../domain/DailySpend.ts"
import { lockBudget } from "../../tenancy/BudgetLock.ts"
import * as Rows from "../../tenancy/Rows.ts"

const Usage = Schema.Struct({
  now: Schema.Date,
  concurrent_max: Schema.Int,
  in_use: Schema.Int,
  calls_per_minute: Schema.Int,
  last_minute: Schema.Int,
  minute_frees_at: Schema.NullOr(Schema.Date),
  calls_per_day: Schema.Int,
  today: Schema.Int,
  tomorrow: Schema.Date,
  daily_spend: Schema.NullOr(DailySpend),
})

/** `Retry-After` for a client that found no free slot. The end of a call cannot be predicted, so the value is fixed. */
const askAgainAfterMs = 5_000

/**
 * Reads how much of the caps is used. `daily_spend` is null if the account has no `daily_spend_cap`. The caller's
 * transaction holds the budget's lock.
 */
export const readUsage = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  // With a cap of n, the n-th newest call of the last minute has to leave it before another begins.
  const usage = yield* Rows.one(Usage)(sql`
    select t.now, b.concurrent_max, b.in_use, b.calls_per_minute, b.calls_per_day,
      m.last_minute,
      case when m.last_minute >= b.calls_per_minute then
        (select started_at + interval '60 seconds' from calls where started_at > t.now - interval '60 seconds'
           order by started_at desc offset b.calls_per_minute - 1 limit 1) end as minute_frees_at,
      calls_of_today(b, t.now) as today,
      ((t.now at time zone b.time_zone)::date + 1)::timestamp at time zone b.time_zone as tomorrow,
      case when b.daily_spend_cap is not null then jsonb_build_object(
        'limit', (b.daily_spend_cap * 1000000)::bigint,
        'spent', case when is_day_of(b, t.now) then ceil(b.spent_today * 1000000)::bigint else 0 end,
        'reserved', case when is_day_of(b, t.now) then ceil(b.reserved_today * 1000000)::bigint else 0 end)
      end as daily_spend
    from budget b, (select clock_timestamp() as now) t,
      lateral (select calls_begun_after(t.now - interval '60 seconds') as last_minute) m`)
  const caps: Admission["usage"] = {
    concurrent_cap: {
      used: usage.in_use,
      limit: usage.concurrent_max,
      resets_at: new Date(usage.now.getTime() + askAgainAfterMs),
    },
    per_minute_cap: {
      used: usage.last_minute,
      limit: usage.calls_per_minute,
      resets_at: usage.minute_frees_at ?? usage.now,
    },
    daily_cap: { used: usage.today, limit: usage.calls_per_day, resets_at: usage.tomorrow },
  }
  return { usage: caps, daily_spend: usage.daily_spend, now: usage.now }
})

/**
 * Locks the budget's row for the rest of the transaction and returns how many of `wanted` calls may begin. The lock is
 * a separate statement, because counts in the same statement would be read before the wait for the lock.
 */
export const admit = Effect.fn("Admission.admit")(function* (wanted: number) {
  yield* lockBudget() // guard: admissions follow one another (I3)
  const { daily_spend, now, usage } = yield* readUsage()
  return { ...admission(wanted, usage, now), daily_spend }
})
