/** In which part of the day people answer: the account's counts, and the past calls of numbers (decision 0088). */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { answerDays, type CallsByPart, callsOfNumber, type PastCall } from "../../domain/BestTimeOfDay.ts"
import { DayPart } from "../../domain/DayParts.ts"
import type { RetryTimeOfDay } from "../../domain/TimeOfDay.ts"
import { texts } from "../../tenancy/Columns.ts"
import * as Rows from "../../tenancy/Rows.ts"

const Row = Schema.Struct({ part: DayPart, rang: Schema.Int, answered: Schema.Int })

/** The calls of all campaigns of the account by part of the day; none unless the campaign chooses the best part. */
export const read = Effect.fn("PartDays.read")(function* (campaign: {
  readonly retry_time_of_day: RetryTimeOfDay | null
}) {
  if (campaign.retry_time_of_day !== "best") return {}
  const sql = yield* SqlClient.SqlClient
  const rows = yield* Rows.all(Row)(sql`
    select part, sum(rang)::int as rang, sum(answered)::int as answered from part_days
    where day > current_date - ${answerDays}::int group by part`).pipe(Effect.orDie)
  const counts: CallsByPart = Object.fromEntries(rows.map(({ part, ...calls }) => [part, calls]))
  return counts
})

/** The last calls of campaigns to each of the numbers. Those that did not reach a phone are left out. */
export const readPast = Effect.fn("PartDays.readPast")(function* (numbers: ReadonlyArray<string>, now: Date) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly number: string; readonly at: Date; readonly answered: boolean }>`
    select n.number, l.started_at as at, l.outcome = 'answered' as answered
    from unnest(${texts([...new Set(numbers)])}) as n(number)
    cross join lateral (
      select started_at, outcome from calls
      where to_number = n.number and contact_id is not null
        and started_at > ${now}::timestamptz - make_interval(days => ${answerDays})
      order by started_at desc limit ${callsOfNumber}) l
    where l.outcome in ('answered', 'voicemail', 'no_answer', 'busy', 'rejected')`
  const past = new Map<string, Array<PastCall>>()
  for (const { answered, at, number } of rows) {
    const own = past.get(number) ?? []
    past.set(number, own)
    own.push({ at: at.getTime(), answered })
  }
  return past
})
