/** Reads a campaign in one statement, so that all figures belong to one moment (I15). */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CostSum } from "../domain/CostSum.ts"
import { CampaignId, CampaignStatus, Counts, WaitingFor } from "../domain/Campaign.ts"
import { CallerNumbersNow, type CampaignSnapshot } from "../domain/CampaignSnapshot.ts"
import type { Forecast } from "../domain/Forecast.ts"
import { currency } from "../domain/Money.ts"
import { NotFound } from "../domain/Refusals.ts"
import { amountFrom } from "../tenancy/AmountText.ts"
import * as Rows from "../tenancy/Rows.ts"
import { callerNumbers } from "./SnapshotNumbers.ts"
import { missingPriceOf, waitingForOf } from "./dialling/StoredWaits.ts"
import * as CampaignForecast from "./CampaignForecast.ts"
import { firstInLine } from "./dialling/Preferred.ts"

const CallerNumbers = Schema.Struct({
  ...CallerNumbersNow.fields,
  next_at: Schema.NullOr(Schema.DateFromString),
})

const Row = Schema.Struct({
  id: CampaignId,
  status: CampaignStatus,
  waiting_for: Schema.NullOr(WaitingFor),
  missing_price: Schema.NullOr(Schema.String),
  created_at: Schema.Date,
  ended_at: Schema.NullOr(Schema.Date),
  max_concurrent_calls: Schema.Int,
  counts: Counts,
  active_calls: Schema.Int,
  dialed: Schema.Int,
  outcomes: Schema.Record(Schema.String, Schema.Int),
  dispositions: Schema.Record(Schema.String, Schema.Int),
  cost: CostSum,
  spent: Schema.String,
  written_off: Schema.String,
  reserved: Schema.String,
  max_spend: Schema.NullOr(Schema.String),
  day_spent: Schema.String,
  day_reserved: Schema.String,
  daily_spend_cap: Schema.NullOr(Schema.String),
  calls_per_minute: Schema.Int,
  budget_used: Schema.Int,
  concurrent_max: Schema.Int,
  last_minute: Schema.Int,
  minute_limit: Schema.Int,
  today: Schema.Int,
  day_limit: Schema.Int,
  closed: Schema.Int,
  next_open_at: Schema.NullOr(Schema.Date),
  retries_due: Schema.Int,
  retries_waiting: Schema.Int,
  next_retry_at: Schema.NullOr(Schema.Date),
  callbacks_due: Schema.Int,
  callbacks_waiting: Schema.Int,
  next_callback_at: Schema.NullOr(Schema.Date),
  caller_numbers: Schema.NullOr(CallerNumbers),
  at: Schema.Date,
  ...CampaignForecast.columns,
})

/** The snapshot, and the two times from which the ids of its events are made. */
export interface Observed {
  readonly snapshot: CampaignSnapshot
  readonly created_at: Date
  readonly ended_at: Date | null
}

export const observe = Effect.fn("SnapshotQuery.observe")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  // Only contacts that wait for a time are counted here, by their index; triggers keep all other counts.
  const row = yield* Rows.first(Row)(sql`
    select c.id, c.status, ${sql.literal(waitingForOf)} as waiting_for,
      ${sql.literal(missingPriceOf)} as missing_price, c.created_at, c.ended_at, c.max_concurrent_calls,
      campaign_counts(p) as counts,
      p.active_calls, p.dialed, p.outcomes, p.dispositions,
      jsonb_build_object('amount', p.cost, 'currency', ${currency}::text) || p.cost_parts as cost,
      ${sql.literal(amountFrom("(p.cost + p.written_off)"))} as spent,
      ${sql.literal(amountFrom("p.written_off"))} as written_off,
      ${sql.literal(amountFrom("p.reserved"))} as reserved,
      ${sql.literal(amountFrom("c.max_spend"))} as max_spend,
      ${sql.literal(daySpent)} as day_spent, ${sql.literal(dayReserved)} as day_reserved,
      ${sql.literal(dayCap)} as daily_spend_cap,
      calls_begun_after(t.now - interval '60 seconds', c.id)
        as calls_per_minute,
      running_slots() as budget_used,
      b.concurrent_max,
      calls_begun_after(t.now - interval '60 seconds') as last_minute,
      b.calls_per_minute as minute_limit,
      calls_of_today(b, t.now) as today,
      b.calls_per_day as day_limit,
      w.closed, w.next_open_at, w.retries_due, w.retries_waiting, w.next_retry_at,
      w.callbacks_due, w.callbacks_waiting, w.next_callback_at, ${callerNumbers(sql)} as caller_numbers, t.now as at,
      ${CampaignForecast.forecastColumns(sql)}
    from campaigns c
    join campaign_progress p on p.campaign_id = c.id
    cross join budget b
    cross join (select statement_timestamp() as now) t
    cross join lateral (
      select count(*) filter (where due_at > t.now and waits_for = 'calling_window')::int as closed,
        min(due_at) filter (where due_at > t.now and waits_for = 'calling_window') as next_open_at,
        count(*) filter (where due_at <= t.now and attempts > 0 and callback_at is null)::int as retries_due,
        count(*) filter (where due_at > t.now and waits_for = 'retry_delay' and callback_at is null)::int as retries_waiting,
        min(due_at) filter (where due_at > t.now and waits_for = 'retry_delay' and callback_at is null) as next_retry_at,
        max(due_at) filter (where due_at > t.now and waits_for = 'retry_delay' and callback_at is null) as last_retry_at,
        count(*) filter (where due_at <= t.now and callback_at is not null)::int as callbacks_due,
        count(*) filter (where due_at > t.now and callback_at is not null)::int as callbacks_waiting,
        min(due_at) filter (where due_at > t.now and callback_at is not null) as next_callback_at,
        max(due_at) filter (where due_at > t.now and callback_at is not null) as last_callback_at
      from contacts
      where campaign_id = c.id and status = 'pending' and due_at > ${sql.literal(firstInLine)}) w
    where c.id = ${id}`).pipe(Effect.orDie)
  if (row === undefined) return yield* new NotFound({ resource: "campaign", id })
  const snapshot = snapshotWith(row, yield* CampaignForecast.forecastOf(row))
  return { snapshot, created_at: row.created_at, ended_at: row.ended_at } satisfies Observed
})

/** The account's spending of the day, from its budget `b` at `t.now`, as texts. */
const ofDay = (column: string) => amountFrom(`(case when is_day_of(b, t.now) then b.${column} else 0 end)`)
export const daySpent = ofDay("spent_today")
export const dayReserved = ofDay("reserved_today")
export const dayCap = amountFrom("b.daily_spend_cap")

const snapshotWith = (row: typeof Row.Type, forecast: Forecast | null): CampaignSnapshot => ({
  campaign_id: row.id,
  status: row.status,
  counts: row.counts,
  active_calls: row.active_calls,
  dialed: row.dialed,
  calls_per_minute: row.calls_per_minute,
  outcomes: row.outcomes,
  ...(Object.keys(row.dispositions).length === 0 ? {} : { dispositions: row.dispositions }),
  eta_seconds: forecast === null ? 0 : row.status === "running" ? forecast.seconds : null,
  forecast,
  waiting_for: row.waiting_for,
  ...(row.missing_price === null ? {} : { missing_price: row.missing_price }),
  waiting: {
    slots: { used: row.active_calls, limit: row.max_concurrent_calls },
    budget: { used: row.budget_used, limit: row.concurrent_max },
    per_minute: { used: row.last_minute, limit: row.minute_limit },
    per_day: { used: row.today, limit: row.day_limit },
    window: { open: row.counts.pending - row.closed, closed: row.closed, next_open_at: row.next_open_at },
    retries: { due: row.retries_due, waiting: row.retries_waiting, next_at: row.next_retry_at },
    callbacks: { due: row.callbacks_due, waiting: row.callbacks_waiting, next_at: row.next_callback_at },
  },
  cost: row.cost,
  ...(row.max_spend === null
    ? {}
    : {
        spend: {
          spent: row.spent,
          written_off: row.written_off,
          reserved: row.reserved,
          limit: row.max_spend,
          currency,
        },
      }),
  ...(row.daily_spend_cap === null
    ? {}
    : {
        daily_spend: { spent: row.day_spent, reserved: row.day_reserved, limit: row.daily_spend_cap, currency },
      }),
  ...(row.caller_numbers === null ? {} : { caller_numbers: row.caller_numbers }),
  at: row.at,
})
