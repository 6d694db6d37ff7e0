/** Lists the account's numbers with what they may do now and how their calls are answered, and rests them (decision 0084). */
import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { CallerNumber, NumberRest, type RestNumber } from "../domain/CallerNumber.ts"
import { isUuid } from "../domain/Name.ts"
import type { PageRequest } from "../domain/Page.ts"
import { requirePermission } from "../domain/Principal.ts"
import { invalid, NotFound } from "../domain/Refusals.ts"
import { accountDay } from "../tenancy/AccountDay.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import * as Rows from "../tenancy/Rows.ts"
import { transaction } from "../tenancy/Transaction.ts"
import { matchingNumber, pageOf } from "./Listing.ts"
import * as NumberRests from "./NumberRests.ts"

const shownDays = 30

const Row = Schema.toType(
  Schema.Struct({
    ...Struct.omit(CallerNumber.fields, ["rest", "answers"]),
    rests: Schema.Boolean,
    rest_since: Schema.NullOr(Schema.Date),
    rest_until: Schema.NullOr(Schema.Date),
    rest_reason: Schema.NullOr(NumberRest.fields.reason),
    rest_detail: NumberRest.fields.detail,
    rest_campaign_id: NumberRest.fields.campaign_id,
    today: Schema.String,
    week_from: Schema.String,
  }),
)
type Row = typeof Row.Type

/** SQL for the numbers: `n` with its columns, and `t` is the moment. With a campaign, only its calls are in `days`. */
const numbersOf = (sql: SqlClient.SqlClient, campaign_id: string | undefined) => sql`(
  select n.*, r.until is not null as rests, r.since as rest_since, r.reason as rest_reason, r.detail as rest_detail,
    r.campaign_id as rest_campaign_id, case when isfinite(r.until) then r.until end as rest_until,
    coalesce(u.calls, 0) as calls_today, t.today::text as today, (t.today - 6)::text as week_from,
    case when r.until is not null then 'resting' when n.max_calls_per_day <= coalesce(u.calls, 0) then 'at_daily_limit'
      when p.free_at > t.now then 'paced' else 'free' end as state,
    case when not isfinite(r.until) then null else nullif(greatest(t.now, p.free_at, r.until,
      case when n.max_calls_per_day <= u.calls then (t.today + 1)::timestamp at time zone t.time_zone end), t.now) end
      as next_call_at,
    coalesce(d.days, '[]') as days
  from ${sql.literal(accountDay)}
  cross join phone_numbers n
  left join number_paces p on p.phone_number_id = n.id
  left join number_rests r on r.phone_number_id = n.id and r.until > t.now
  left join lateral (
    select sum(begun)::int as calls from number_days where phone_number_id = n.id and day = t.today) u on true
  left join lateral (
    select jsonb_agg(jsonb_build_object('day', day, 'calls', calls, 'rang', rang, 'answered', answered) order by day) as days
    from (select day, sum(begun)::int as calls, sum(rang)::int as rang, sum(answered)::int as answered from number_days
          where phone_number_id = n.id and day > t.today - ${shownDays}::int
            and ${campaign_id === undefined ? sql.literal("true") : sql`campaign_id = ${campaign_id}`}
          group by day) each) d on true) n`

const isOfCampaign = (sql: SqlClient.SqlClient, campaign_id: string | undefined) =>
  campaign_id === undefined
    ? undefined
    : sql`id in (select unnest(caller_numbers || phone_number_id) from campaigns where id = ${campaign_id})`

const toCallerNumber = (row: Row): CallerNumber => {
  const { days, rest_campaign_id, rest_detail, rest_reason, rest_since, rest_until, today, week_from } = row
  const answersFrom = (first: string) => {
    const counted = days.filter(({ day }) => day >= first)
    const rang = counted.reduce((sum, one) => sum + one.rang, 0)
    const answered = counted.reduce((sum, one) => sum + one.answered, 0)
    return { rang, answered, rate: rang === 0 ? null : answered / rang }
  }
  return {
    ...Struct.pick(row, ["id", "number", "label", "carrier", "max_calls_per_day", "min_seconds_between_calls"]),
    ...Struct.pick(row, ["state", "next_call_at", "calls_today", "days"]),
    rest:
      rest_since === null || rest_reason === null
        ? null
        : {
            since: rest_since,
            until: rest_until,
            reason: rest_reason,
            detail: rest_detail,
            campaign_id: rest_campaign_id,
          },
    answers: { day_1: answersFrom(today), day_7: answersFrom(week_from), day_30: answersFrom("") },
  }
}

export interface CallerNumberFilter extends PageRequest {
  readonly campaign_id?: string
  readonly search?: string
}

/** The numbers, newest first. With `campaign_id`, those of the campaign, with its calls alone. */
export const list = Effect.fn("CallerNumbers.list")(function* (filter: CallerNumberFilter) {
  const sql = yield* SqlClient.SqlClient
  const page = yield* pageOf(
    {
      row: Row,
      columns: sql.literal("*"),
      from: numbersOf(sql, filter.campaign_id),
      where: [isOfCampaign(sql, filter.campaign_id), matchingNumber(sql, filter.search, "number", ["label"])],
    },
    filter,
  )
  return { ...page, items: page.items.map(toCallerNumber) }
})

export const find = Effect.fn("CallerNumbers.find")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const row = isUuid(id)
    ? yield* Effect.orDie(Rows.first(Row)(sql`select * from ${numbersOf(sql, undefined)} where id = ${id}`))
    : undefined
  return row === undefined ? yield* new NotFound({ resource: "phone number", id }) : toCallerNumber(row)
})

/** Notes the rest before and after the change for the audit log. */
const noteChange = (before: CallerNumber, after: CallerNumber) =>
  AuditTrail.note({
    changes: [
      {
        field: "rest",
        ...(before.rest === null ? {} : { before: wireOf(before.rest) }),
        ...(after.rest === null ? {} : { after: wireOf(after.rest) }),
      },
    ],
  })
const wireOf = Schema.encodeSync(NumberRest)

/** Rests a number, or changes the end of its rest. An earlier end lets calls follow, so it needs the scope `dial`. */
export const rest = Effect.fn("CallerNumbers.rest")(
  function* (id: string, { detail = null, until = null }: RestNumber) {
    const sql = yield* SqlClient.SqlClient
    // A number that is being deleted would else be found, and then be gone when its rest is written. Another request
    // must not rest the number longer meanwhile.
    if (isUuid(id)) yield* sql`select from phone_numbers where id = ${id} for no key update`
    const before = yield* find(id)
    const end = until === null ? null : new Date(until)
    const [moment] = yield* sql<{ readonly now: Date }>`select clock_timestamp() as now`
    if (end !== null && moment !== undefined && end <= moment.now)
      return yield* invalid("/until", "must be in the future")
    if (end !== null && before.rest !== null && (before.rest.until === null || end < before.rest.until)) {
      yield* requirePermission("dial")
    }
    yield* NumberRests.rest(before.id, end, detail)
    const after = yield* Effect.orDie(find(id))
    yield* noteChange(before, after)
    return after
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

/** Ends a rest. A number that does not rest stays as it is. */
export const endRest = Effect.fn("CallerNumbers.endRest")(
  function* (id: string) {
    const before = yield* find(id)
    yield* NumberRests.end(before.id)
    const after = yield* Effect.orDie(find(id))
    yield* noteChange(before, after)
    return after
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)
