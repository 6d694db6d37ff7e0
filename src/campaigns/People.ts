/** One person in all campaigns and calls of the account: who is going to call them, and who has called. */
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import * as Callbacks from "../catalog/Callbacks.ts"
import * as ErasedNumbers from "../catalog/ErasedNumbers.ts"
import { isAnswered } from "../catalog/QuietPeriods.ts"
import * as SubjectSuppressions from "../catalog/SubjectSuppressions.ts"
import { type E164, isE164 } from "../domain/E164.ts"
import { toE164 } from "../domain/NumberText.ts"
import { mostListed, Person, PersonCall, PersonContact } from "../domain/Person.ts"
import { NotFound } from "../domain/Refusals.ts"
import { Suppression } from "../domain/Suppression.ts"
import * as Rows from "../tenancy/Rows.ts"

const {
  contacts: _contacts,
  calls: _calls,
  suppression: _suppression,
  subject_suppressions: _subjects,
  ...figures
} = Person.fields
const Figures = Schema.toType(Schema.Struct(figures))

/** Fails only for a text that is no phone number. The account may have nothing about the person. */
export const find = Effect.fn("People.find")(function* (phoneNumber: string) {
  const number = toE164(phoneNumber)
  if (!isE164(number)) return yield* new NotFound({ resource: "person with the number", id: phoneNumber })
  const sql = yield* SqlClient.SqlClient
  const suppression = yield* Rows.first(Schema.toType(Suppression))(sql`
    select *, null::text as subject from suppressions where phone_number = ${number}`).pipe(Effect.orDie)
  const [figures, contacts, calls] = yield* Effect.all([readFigures(number), readContacts(number), readCalls(number)])
  const subject_suppressions = yield* SubjectSuppressions.listOfNumber(number)
  return { ...figures, suppression: suppression ?? null, subject_suppressions, contacts, calls } satisfies Person
})

/** The calls to and from the number, each half by its own index. */
const callsWith = (sql: SqlClient.SqlClient, number: E164): Statement.Fragment => sql`(
  select * from calls where contact_id is not null and to_number = ${number}
  union all
  select * from calls where contact_id is null
    and (case direction when 'outbound' then to_number else from_number end) = ${number})`

const readFigures = Effect.fnUntraced(function* (number: E164) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.one(Figures)(sql`
    select ${number}::text as phone_number, ${yield* ErasedNumbers.isListed(sql`${number}::text`)} as do_not_call,
      (select call_id from live_calls where line = ${number}
       union all select call_id from held_lines where line = ${number} limit 1) as live_call_id,
      count(*) filter (where c.direction = 'outbound' and c.started_at >= today.begins)::int as calls_today,
      count(*) filter (where c.direction = 'outbound' and c.started_at >= now() - interval '7 days')::int as calls_in_7_days,
      max(c.answered_at) filter (where c.direction = 'outbound' and c.outcome = 'answered') as last_answered_at
    from (select date_trunc('day', now() at time zone time_zone) at time zone time_zone as begins from budget) today
      left join ${callsWith(sql, number)} c on true
    group by today.begins`).pipe(Effect.orDie)
})

const readContacts = Effect.fnUntraced(function* (number: E164) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Schema.toType(PersonContact))(sql`
    select c.id, c.campaign_id, k.name as campaign_name, k.status as campaign_status, c.status, c.outcome, c.attempts,
      c.skip_reason, case when c.status in ('pending', 'in_progress') then c.callback_at end as callback_at,
      case when c.status = 'pending' and c.waits_for is not null and isfinite(c.due_at) then c.due_at end as next_attempt_at,
      case when c.status = 'pending' and c.due_at > clock_timestamp() then ${sql.literal(Callbacks.waitsFor("c"))} end as waiting_for,
      case when c.status = 'pending' and c.callback_at is null and answered.at + quiet.length > now()
        then answered.at + quiet.length end as quiet_until
    from contacts c join campaigns k on k.id = c.campaign_id
      cross join lateral (select make_interval(secs => k.quiet_after_answer_seconds) as length) quiet
      cross join (
        select max(ended_at) as at from calls
        where to_number = ${number} and contact_id is not null and ${isAnswered(sql, "calls")}) answered
    where c.phone_number = ${number} or c.additional_numbers @> array[${number}::text]
    order by c.status in ('pending', 'in_progress') desc, c.id desc limit ${mostListed}`).pipe(Effect.orDie)
})

const readCalls = Effect.fnUntraced(function* (number: E164) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Schema.toType(PersonCall))(sql`
    select id, direction, campaign_id, agent_name, outcome, started_at, answered_at, ended_at
    from ${callsWith(sql, number)} c order by started_at desc, id desc limit ${mostListed}`).pipe(Effect.orDie)
})
