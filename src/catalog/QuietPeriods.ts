/**
 * The quiet period of a number, which begins at the end of the last call of any campaign that a person answered
 * (decision 0085). One statement ends a call and removes it from `live_calls`, so at each moment one of the two forbids
 * a dial.
 */
import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"

/** Longer than any call: a call that began earlier than this before the quiet period also ended before it. */
const longestCall = "interval '1 day'"

/**
 * SQL for the quiet period of the contact `c` at `now`, as JSON (`QuietPeriod`); null if there is none. A callback has
 * none, because the person asked for it. `numbers` completes `to_number …`, for a person with several.
 */
export const quietFor = Effect.fnUntraced(function* (
  seconds: number | null,
  now: Date | Statement.Fragment,
  numbers = "= c.phone_number",
) {
  const sql = yield* SqlClient.SqlClient
  if (seconds === null) return sql`null::jsonb`
  const length = sql`make_interval(secs => ${seconds}::int)`
  return sql`case when c.callback_at is null then (
    select jsonb_build_object('until', ${moment(sql, sql`l.ended_at + ${length}`)}, 'ended_at', ${moment(sql, sql.literal("l.ended_at"))},
      'call_id', l.id, 'campaign_id', l.campaign_id, 'campaign_name', p.name)
    from calls l join campaigns p on p.id = l.campaign_id
    where l.to_number ${sql.literal(numbers)} and l.contact_id is not null
      and l.started_at > ${now}::timestamptz - ${length} - ${sql.literal(longestCall)}
      and l.ended_at > ${now}::timestamptz - ${length}
      and ${isAnswered(sql, "l")}
    order by l.ended_at desc limit 1) end`
})

/** The condition that a person answered the call. If its process died after the answer, its outcome is unknown. */
export const isAnswered = (sql: SqlClient.SqlClient, call: string): Statement.Fragment =>
  sql.literal(`(${call}.outcome = 'answered' or ${call}.outcome = 'unknown' and ${call}.answered_at is not null)`)

/** As on the wire: RFC 3339, UTC, milliseconds. */
const moment = (sql: SqlClient.SqlClient, time: Statement.Fragment) =>
  sql`to_char((${time}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
