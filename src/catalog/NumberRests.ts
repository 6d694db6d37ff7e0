/**
 * Rests of phone numbers: a user begins one, or a number rests automatically when far fewer of its calls are answered than
 * of the others' (decision 0084). No campaign calls from a number that rests. The last rest of a number is kept after
 * its end.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type Answers, isFalling, type NumberRestRule, restHoursOf, windowDays } from "../domain/NumberRest.ts"
import { accountDay } from "../tenancy/AccountDay.ts"
import { uuids } from "../tenancy/Columns.ts"
import { json } from "../tenancy/Json.ts"
import * as Rows from "../tenancy/Rows.ts"

const Measured = Schema.Struct({
  id: Schema.String,
  number: Schema.String,
  rests: Schema.Boolean,
  rang: Schema.Int,
  answered: Schema.Int,
})
type Measured = typeof Measured.Type

/** The answers of a campaign's calls by number, from the day after the number's last rest on. */
const measure = Effect.fnUntraced(function* (campaign_id: string, ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Measured)(sql`
    select n.id, n.number, coalesce(r.until > t.now, false) as rests,
      coalesce(d.rang, 0) as rang, coalesce(d.answered, 0) as answered
    from ${sql.literal(accountDay)}
    cross join phone_numbers n
    left join number_rests r on r.phone_number_id = n.id
    left join lateral (
      select sum(rang)::int as rang, sum(answered)::int as answered from number_days
      where phone_number_id = n.id and campaign_id = ${campaign_id} and day > t.today - ${windowDays}::int
        and day > coalesce((r.until at time zone t.time_zone)::date, '-infinity')) d on true
    where n.id = any(${uuids(ids)})`)
})

/**
 * Rests the numbers of a campaign's pool whose calls are clearly answered less often than those of the others. Runs at
 * the end of a dial pass, under the budget's lock, and takes effect from the next pass on.
 */
export const restFalling = Effect.fn("NumberRests.restFalling")(function* (
  campaign_id: string,
  rule: NumberRestRule,
  ids: ReadonlyArray<string>,
) {
  const numbers = yield* measure(campaign_id, ids)
  const all = numbers.reduce(
    (sum, { answered, rang }) => ({ answered: sum.answered + answered, rang: sum.rang + rang }),
    { answered: 0, rang: 0 },
  )
  for (const own of numbers) {
    const others = { answered: all.answered - own.answered, rang: all.rang - own.rang }
    if (!own.rests && isFalling(own, others, rule)) yield* restByRate(campaign_id, own, others, rule)
  }
})

const percent = ({ answered, rang }: Answers) => `${((100 * answered) / rang).toFixed(1)} %`

const restByRate = Effect.fnUntraced(function* (
  campaign_id: string,
  own: Measured,
  others: Answers,
  rule: NumberRestRule,
) {
  const detail = `In the last ${windowDays} days, ${percent(own)} of its ${own.rang} calls in a campaign were answered, and ${percent(others)} of the ${others.rang} calls from the campaign's other numbers.`
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    with rested as (
      insert into number_rests (phone_number_id, since, until, reason, detail, campaign_id)
      values (${own.id}, clock_timestamp(), clock_timestamp() + make_interval(hours => ${restHoursOf(rule)}),
              'answer_rate', ${detail}, ${campaign_id})
      on conflict (phone_number_id) do update set since = excluded.since, until = excluded.until,
        reason = excluded.reason, detail = excluded.detail, campaign_id = excluded.campaign_id
      returning *)
    select events_append('phone_number.rested', array[phone_number_id], jsonb_build_object(
      'id', phone_number_id, 'number', ${own.number}::text, 'since', since, 'until', until, 'detail', detail,
      'campaign_id', campaign_id, 'own', ${json(answersOf(own))}::jsonb, 'others', ${json(answersOf(others))}::jsonb))
    from rested`
  yield* Effect.annotateLogs(Effect.logInfo("a phone number rests because few of its calls are answered"), {
    phone_number: own.id,
    campaign: campaign_id,
    ...{ rang: own.rang, answered: own.answered, others_rang: others.rang, others_answered: others.answered },
  })
})

const answersOf = ({ answered, rang }: Answers): Answers => ({ rang, answered })

/** Rests a number until a moment, or until a user ends the rest. Replaces a rest in progress. */
export const rest = Effect.fn("NumberRests.rest")(function* (id: string, until: Date | null, detail: string | null) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into number_rests (phone_number_id, since, until, reason, detail)
    values (${id}, clock_timestamp(), coalesce(${until}::timestamptz, 'infinity'), 'user', ${detail})
    on conflict (phone_number_id) do update set
      since = case when number_rests.until > clock_timestamp() then number_rests.since else excluded.since end,
      until = excluded.until, reason = excluded.reason, detail = excluded.detail, campaign_id = null`
})

/** Ends a rest in progress. The number's answers are counted anew from the next day on. */
export const end = Effect.fn("NumberRests.end")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update number_rests set until = clock_timestamp() where phone_number_id = ${id} and until > clock_timestamp()`
})
