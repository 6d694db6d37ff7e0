/** The contacts whose turn it is, and what a dial transaction writes on them. It holds the budget and the campaign's row. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { IntendedCall } from "../calls/Calls.ts"
import { CampaignStatus } from "../domain/Campaign.ts"
import type { Decided } from "../domain/DialDecision.ts"
import { json } from "../tenancy/Json.ts"

const Candidate = Schema.Struct({
  id: Schema.String,
  phone_number: Schema.String,
  custom_fields: Schema.Record(Schema.String, Schema.String),
  attempts: Schema.Int,
  due_at: Schema.NullOr(Schema.Date),
  waits_for: Schema.NullOr(Schema.Literals(["retry_delay", "calling_window"])),
  suppressed: Schema.Boolean,
})
export type Candidate = typeof Candidate.Type

/**
 * Retries that are due, then fresh ones in file order. A number that is in a live call, of this campaign or of anybody,
 * is not offered (I1); one on the do-not-call list is, with a mark, since it is skipped for good (I12).
 */
export const candidates = Effect.fn("DialQueue.candidates")(function* (campaignId: string, atMost: number, now: Date) {
  const retries = yield* due(campaignId, true, atMost, now)
  if (retries.length === atMost) return retries
  return [...retries, ...(yield* due(campaignId, false, atMost - retries.length, now))]
})

/** One index each (migration 0003), for which the clock has to stand still during the statement. */
const turnOf = (sql: SqlClient.SqlClient, isRetry: boolean) => sql.literal(isRetry ? "attempts > 0" : "attempts = 0")

const due = Effect.fnUntraced(function* (campaignId: string, isRetry: boolean, atMost: number, now: Date) {
  const sql = yield* SqlClient.SqlClient
  return yield* SqlSchema.findAll({
    Request: Schema.Void,
    Result: Candidate,
    execute: () => sql`
      select c.id, c.phone_number, c.custom_fields, c.attempts, c.waits_for,
        case when isfinite(c.due_at) then c.due_at end as due_at,
        exists (select from suppressions s where s.phone_number = c.phone_number
                and (s.expires_at is null or s.expires_at > clock_timestamp())) as suppressed
      from contacts c
      where c.campaign_id = ${campaignId} and c.status = 'pending' and ${turnOf(sql, isRetry)}
        and c.due_at <= ${now}
        and not exists (select from calls l where l.to_number = c.phone_number and l.ended_at is null)
      order by c.due_at, c.position limit ${atMost} for no key update of c skip locked`,
  })(undefined)
})

const Next = Schema.Struct({
  status: Schema.NullOr(CampaignStatus),
  due: Schema.Boolean,
  waits_for: Schema.NullOr(Schema.Literals(["retry_delay", "calling_window"])),
  in_ms: Schema.NullOr(Schema.Int),
})

/** Whether anybody's turn has come, and who is next of those who wait for a time. */
export const next = Effect.fn("DialQueue.next")(function* (campaignId: string) {
  const sql = yield* SqlClient.SqlClient
  const first = (isRetry: boolean) => sql`
    (select due_at, waits_for from contacts
     where campaign_id = ${campaignId} and status = 'pending' and ${turnOf(sql, isRetry)}
     order by due_at, position limit 1)`
  const later = (isRetry: boolean) => sql`
    (select due_at, waits_for from contacts
     where campaign_id = ${campaignId} and status = 'pending' and ${turnOf(sql, isRetry)}
       and due_at > statement_timestamp()
     order by due_at, position limit 1)`
  return yield* SqlSchema.findOne({
    Request: Schema.Void,
    Result: Next,
    execute: () => sql`
      with soon as (select * from (${later(true)} union all ${later(false)}) s order by due_at limit 1)
      select (select status from campaigns where id = ${campaignId}) as status,
        exists (select from (${first(true)} union all ${first(false)}) f where due_at <= statement_timestamp()) as due,
        (select waits_for from soon) as waits_for,
        (select least(ceil(extract(epoch from due_at - clock_timestamp()) * 1000), 86400000)::int from soon) as in_ms`,
  })(undefined)
})

type Decisions = ReadonlyArray<Decided<Candidate>>

/** Not before the time that was decided: outside of their hours. */
export const putOff = Effect.fn("DialQueue.putOff")(function* (decided: Decisions) {
  const rows = decided.flatMap(({ contact, verdict }) =>
    verdict._tag === "Wait" && verdict.until !== null
      ? [{ id: contact.id, until: verdict.until.toISOString(), waits_for: verdict.reason }]
      : [],
  )
  if (rows.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update contacts c set due_at = p.until, waits_for = p.waits_for, updated_at = clock_timestamp()
    from jsonb_to_recordset(${json(rows)}::jsonb) as p(id uuid, until timestamptz, waits_for text)
    where c.id = p.id`
})

export const skip = Effect.fn("DialQueue.skip")(function* (decided: Decisions) {
  const rows = decided.flatMap(({ contact, verdict }) =>
    verdict._tag === "Skip" ? [{ id: contact.id, reason: verdict.reason }] : [],
  )
  if (rows.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update contacts c set status = 'skipped', skip_reason = p.reason, due_at = '-infinity', waits_for = null,
      updated_at = clock_timestamp()
    from jsonb_to_recordset(${json(rows)}::jsonb) as p(id uuid, reason text)
    where c.id = p.id`
})

/** Their calls are intended: the attempt counts from now on, whatever comes of it. */
export const claimed = Effect.fn("DialQueue.claimed")(function* (calls: ReadonlyArray<IntendedCall>) {
  if (calls.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update contacts c set status = 'in_progress', attempts = c.attempts + 1, last_call_id = i.call,
      due_at = '-infinity', waits_for = null, updated_at = clock_timestamp()
    from unnest(${calls.map((call) => call.contact_id)}::uuid[], ${calls.map(({ id }) => id)}::uuid[]) as i(contact, call)
    where c.id = i.contact`
})
