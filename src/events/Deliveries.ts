/**
 * Deliveries as rows: fanned out from the event log, and claimed. WebhookRequest sends them, and DeliveryResults ends
 * or retries them.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { json } from "../tenancy/Json.ts"
import * as Rows from "../tenancy/Rows.ts"

/** The maximum number of events of one webhook that one statement fans out. */
const fannedOutAtOnce = 1_000
/** How long a claim holds its delivery. An attempt takes 15 s at most, and waits for a place no longer than 5 s. */
export const leaseSeconds = 30

/**
 * The maximum number of deliveries of one endpoint that a process holds. A failing endpoint gets a single attempt at a
 * time.
 */
const held = { healthy: 64, failing: 1 }

/**
 * Creates the deliveries of events that have none yet, and returns whether there may be more. The webhook's cursor and
 * its deliveries are written in one statement, and events are numbered in commit order: no delivery is left out or
 * created twice.
 */
export const fanOut = Effect.fn("Deliveries.fanOut")(function* () {
  const sql = yield* SqlClient.SqlClient
  const moved = yield* sql<{ readonly looked_at: number }>`
    with due as (
      select w.id, w.events, greatest(w.fanned_out_to, l.pruned_seq) as fanned_out_to from webhooks w cross join event_log l
      where w.enabled and w.fanned_out_to < l.last_seq
      for no key update of w skip locked
    ), news as (
      select due.id, '*' = any(due.events) or e.type = any(due.events) as wanted, e.seq, e.type
      from due cross join lateral (
        select seq, type from events_between(due.fanned_out_to, due.fanned_out_to + ${fannedOutAtOnce})) e
    ), made as (
      insert into webhook_deliveries (id, webhook_id, seq, event_type)
      select uuid_at(clock_timestamp()), id, seq, type from news where wanted order by id, seq
      on conflict do nothing
    )
    update webhooks w set fanned_out_to = looked.last
    from (select id, max(seq) as last, count(*)::int as looked_at from news group by id) looked
    where w.id = looked.id
    returning looked.looked_at`
  return moved.some(({ looked_at }) => looked_at === fannedOutAtOnce)
})

const Claim = Schema.toType(
  Schema.Struct({
    id: Schema.String,
    webhook_id: Schema.String,
    seq: Schema.Int,
    /** The fencing token: the result of this claim is written only while it is the delivery's last claim. */
    attempts: Schema.Int,
    series_attempts: Schema.Int,
    url: Schema.String,
    secret: Schema.String,
    previous_secret: Schema.NullOr(Schema.String),
  }),
)
export type Claim = typeof Claim.Type

/**
 * Claims due deliveries: for each endpoint as many as it may have, less those in `busy`, which this process already
 * holds.
 */
export const claim = Effect.fn("Deliveries.claim")(function* (busy: ReadonlyMap<string, number>) {
  const sql = yield* SqlClient.SqlClient
  const running = json(Object.fromEntries(busy))
  return yield* Rows.all(Claim)(sql`
    with chosen as (
      select d.id, w.url, w.secret,
        case when w.previous_secret_until > now() then w.previous_secret end as previous_secret
      from (
        select *, (case when failing then ${held.failing}::int else ${held.healthy}::int end)
          - coalesce((${running}::jsonb ->> id::text)::int, 0) as room
        from webhooks where enabled
      ) w cross join lateral (
        select id from webhook_deliveries
        where webhook_id = w.id and status = 'pending' and next_attempt_at <= statement_timestamp()
        order by next_attempt_at, seq limit greatest(0, w.room) for update skip locked
      ) d
    )
    update webhook_deliveries d set
      attempts = d.attempts + 1, series_attempts = d.series_attempts + 1,
      series_began_at = coalesce(d.series_began_at, clock_timestamp()), last_attempt_at = clock_timestamp(),
      next_attempt_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    from chosen where chosen.id = d.id
    returning d.id, d.webhook_id, d.seq::float8, d.attempts, d.series_attempts, chosen.url, chosen.secret,
      chosen.previous_secret`)
})

const Ahead = Schema.Struct({ webhooks: Schema.Int, in_ms: Schema.NullOr(Schema.Int) })

/**
 * The number of webhooks of the account, and the milliseconds until the next delivery is due; null if none waits. The
 * time is cut to a day, because more than 24 days do not fit in an int: a delivery may have waited for longer while its
 * webhook was disabled, or its account suspended.
 */
export const lookAhead = Effect.fn("Deliveries.lookAhead")(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.one(Ahead)(sql`
    select count(*)::int as webhooks,
      ceil(extract(epoch from min(
        greatest(least(d.next_attempt_at, now() + interval '1 day'), now() - interval '1 day')
      ) - clock_timestamp()) * 1000)::int as in_ms
    from webhooks w left join lateral (
      select next_attempt_at from webhook_deliveries
      where webhook_id = w.id and status = 'pending' order by next_attempt_at limit 1
    ) d on w.enabled`)
})
