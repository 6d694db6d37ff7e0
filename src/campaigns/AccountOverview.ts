/** An account as its members see it. `pulse` is read in one statement, so that its figures belong to one moment. */
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountActivity, AccountPulse, ContactTally, type LiveCampaign } from "../domain/AccountOverview.ts"
import { CampaignId } from "../domain/Campaign.ts"
import { currency } from "../domain/Money.ts"
import { NeedyCampaign } from "../domain/LiveViews.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { readable } from "../tenancy/ReadableRows.ts"
import * as Rows from "../tenancy/Rows.ts"
import * as Campaigns from "./Campaigns.ts"
import { dayCap, dayReserved, daySpent, observe } from "./SnapshotQuery.ts"
import { missingPriceOf, waitingForOf } from "./dialling/StoredWaits.ts"

const Pulse = Schema.toType(Schema.Struct({ ...AccountPulse.fields, account: Schema.Null }))

const readPulse = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.one(Pulse)(sql`
    select null as account, t.now as at,
      (select coalesce(jsonb_object_agg(state, n), '{}') from (
         select ${sql.literal(Campaigns.stateOf)} as state, count(*)::int as n from campaigns group by 1) by_state) as campaigns,
      jsonb_build_object(
        'limit', b.concurrent_max, 'campaign', live.campaign, 'other', live.other,
        'reserved', greatest(0, running.slots - running.active), 'left', greatest(0, b.concurrent_max - running.slots)
      ) as slots,
      jsonb_build_object('used', m.last_minute, 'limit', b.calls_per_minute) as per_minute,
      case when m.last_minute >= b.calls_per_minute then
        (select started_at + interval '60 seconds' from calls where started_at > t.now - interval '60 seconds'
           order by started_at desc offset b.calls_per_minute - 1 limit 1) end as minute_frees_at,
      jsonb_build_object('limit', b.calls_per_day, 'used', calls_of_today(b, t.now)) as per_day,
      jsonb_build_object('spent', ${sql.literal(daySpent)}, 'reserved', ${sql.literal(dayReserved)},
        'limit', ${sql.literal(dayCap)}, 'currency', ${currency}::text) as daily_spend,
      (select coalesce(jsonb_agg(jsonb_build_object('webhook_id', webhook_id, 'deliveries', n) order by n desc), '[]')
       from (select webhook_id, count(*)::int as n from webhook_deliveries where status = 'pending'
             group by webhook_id having bool_or(attempts > 0)) w) as waiting_deliveries
    from budget b
    cross join (select statement_timestamp() as now) t
    cross join lateral (select calls_begun_after(t.now - interval '60 seconds') as last_minute) m
    cross join lateral (select count(*) filter (where contact_id is not null)::int as campaign,
        count(*) filter (where contact_id is null)::int as other
      from live_calls) live
    cross join lateral (select running_slots() as slots,
        coalesce(sum(least(p.active_calls, c.max_concurrent_calls)), 0)::int as active
      from campaigns c join campaign_progress p on p.campaign_id = c.id where c.status = 'running') running`).pipe(
    Effect.orDie,
  )
})

export const pulse = Effect.fn("AccountOverview.pulse")(function* () {
  const { account } = yield* CurrentTenant
  const row = yield* readPulse()
  const { calling_window, name, slug, time_zone } = account
  return { ...row, account: { slug, name, time_zone, calling_window } } satisfies AccountPulse
})

const Minute = Schema.Struct({
  at: Schema.Date,
  calls: Schema.Int,
  outcomes: Schema.Record(Schema.String, Schema.Int),
})

const readMinutes = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Minute)(sql`
    select at, sum(n)::int as calls,
      coalesce(jsonb_object_agg(outcome, n) filter (where outcome is not null), '{}') as outcomes
    from (select date_trunc('minute', started_at) as at, outcome, count(*)::int as n from calls
          where started_at > date_trunc('minute', statement_timestamp()) - interval '59 minutes'
          group by 1, 2) by_outcome
    group by at order by at`).pipe(Effect.orDie)
})

const Day = Schema.Struct({
  at: Schema.Date,
  today: AccountActivity.fields.today,
  first_word_ms: Schema.NullOr(Schema.Int),
})

const readDay = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.one(Day)(sql`
    select t.now as at,
      (select jsonb_build_object('calls', count(*)::int, 'ended', count(*) filter (where c.ended_at is not null)::int,
         'answered', count(*) filter (where c.outcome = 'answered')::int,
         'cost', sum_costs(array_agg(c.cost) filter (where c.ended_at is not null and c.cost -> 'parts' <> '{}')))
       from calls c where c.started_at >= date_trunc('day', t.now at time zone b.time_zone) at time zone b.time_zone)
         as today,
      (select percentile_disc(0.99) within group (order by (turns->0->>'first_word_ms')::int) from calls
       where started_at > t.now - interval '1 hour' and outcome = 'answered') as first_word_ms
    from budget b cross join (select statement_timestamp() as now) t`).pipe(Effect.orDie)
})

export const activity = Effect.fn("AccountOverview.activity")(function* () {
  const minutes = yield* readMinutes()
  const day = yield* readDay()
  return { ...day, minutes } satisfies AccountActivity
})

/** Reads the counts that the database keeps for each campaign; unknown ids are left out. */
export const tallies = Effect.fn("AccountOverview.tallies")(function* (ids: ReadonlyArray<string>) {
  if (ids.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select campaign_id, total, pending - to_be_retried as not_called, to_be_retried, in_progress, completed, failed,
      skipped,
      jsonb_strip_nulls(jsonb_build_object(
        'answered', nullif(ended_answered, 0), 'voicemail', nullif(ended_voicemail, 0),
        'no_answer', nullif(ended_no_answer, 0), 'busy', nullif(ended_busy, 0),
        'rejected', nullif(ended_rejected, 0), 'invalid_number', nullif(ended_invalid_number, 0),
        'carrier_error', nullif(ended_carrier_error, 0), 'unknown', nullif(ended_unknown, 0))) as outcomes
    from campaign_progress where ${sql.in("campaign_id", ids)}`.pipe(
    Effect.flatMap(readable(ContactTally)),
    Effect.orDie,
  )
})

const Needy = Schema.toType(NeedyCampaign)

/**
 * Reads the campaigns that need attention: they wait for slots, for a price or for their own money, were paused or
 * failed, or called people with an unknown outcome. Money that calls in progress may free is not missing yet.
 */
export const needy = Effect.fn("AccountOverview.needy")(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Needy)(sql`
    select id, name, state, max_concurrent_calls, scheduled_at, waits as waiting_for, missing_price, end_reason, unknown
    from (
      select c.*, ${sql.literal(Campaigns.stateOf)} as state, ${sql.literal(waitingForOf)} as waits,
        ${sql.literal(missingPriceOf)} as missing_price, p.ended_unknown as unknown, p.active_calls
      from campaigns c join campaign_progress p on p.campaign_id = c.id) c
    where state = 'waiting' or (state = 'paused' and waits = 'carrier')
      or (state = 'running' and waits = 'spend_cap' and (
        missing_price is not null or (waiting_detail = 'spend_cap' and active_calls = 0)))
      or (state = 'failed' and ended_at > now() - interval '1 day')
      or (unknown > 0 and started_at > now() - interval '1 day')
    order by created_at desc, id desc limit ${mostNeedy}`).pipe(Effect.orDie)
})

/** The most campaigns in that list: more than one screen shows. */
const mostNeedy = 50

/** At most this many running campaigns are shown here. The list of campaigns shows all of them. */
const mostLive = 50

const RunningRow = Schema.Struct({ id: CampaignId, name: Schema.String, max_concurrent_calls: Schema.Int })

/** Reads the running campaigns, the longest-running first. One that ends between the two queries is left out. */
export const findRunning = Effect.fn("AccountOverview.findRunning")(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select id, name, max_concurrent_calls from campaigns where status = 'running' order by started_at, id limit ${mostLive}`.pipe(
    Effect.flatMap(readable(RunningRow)),
    Effect.orDie,
  )
  const found = yield* Effect.forEach(rows, ({ id, ...campaign }) =>
    Effect.option(Effect.map(observe(id), ({ snapshot }): LiveCampaign => ({ ...snapshot, ...campaign }))),
  )
  return found.flatMap(Option.toArray)
})
