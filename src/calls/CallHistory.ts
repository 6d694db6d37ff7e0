/** Reads an account's calls: one, a page of those that match a filter, or those in progress. */
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { optOutOf } from "../catalog/CallOptOuts.ts"
import { Call, CallSummary, noCost } from "../domain/Call.ts"
import { isUuid } from "../domain/Name.ts"
import type { Page } from "../domain/Page.ts"
import { AttemptReceipt } from "../domain/Receipt.ts"
import { NotFound } from "../domain/Refusals.ts"
import { json } from "../tenancy/Json.ts"
import { readable } from "../tenancy/ReadableRows.ts"
import * as Rows from "../tenancy/Rows.ts"
import { type CallConditions, type CallFilter, hasAll, searchCalls } from "./CallSearch.ts"

/** Times in the columns of a row are dates; times inside its JSON are texts. */
const times = {
  started_at: Schema.Date,
  answered_at: Schema.NullOr(Schema.Date),
  ended_at: Schema.NullOr(Schema.Date),
}
const SummaryRow = Schema.Struct({ ...CallSummary.fields, ...times })
const CallRow = Schema.Struct({
  ...Call.fields,
  ...times,
  decision: Schema.NullOr(Schema.JsonObject),
  receipt: Schema.NullOr(AttemptReceipt),
})

const columns = (sql: SqlClient.SqlClient) => sql`
  id, direction, status, outcome, end_reason, agent_id, agent_name, agent_version, campaign_id, contact_id, phone_number_id,
  to_number as "to", from_number as "from", started_at, answered_at, ended_at,
  extract(epoch from ended_at - answered_at)::float8 as duration_seconds, result, disposition,
  case when cost = '{}' then ${json(noCost)}::jsonb else cost end as cost,
  case when ended_at is not null and exists (select from recordings where call_id = calls.id)
       then '/api/v1/calls/' || id || '/recording' end as recording`

const recordingColumns = (sql: SqlClient.SqlClient) => sql`
  (select case when calls.ended_at is not null then 'complete'
               when r.pauses -> -1 -> 'ended_ms' = 'null' then 'paused' else 'recording' end
   from recordings r where r.call_id = calls.id) as recording_state,
  coalesce((select r.pauses from recordings r where r.call_id = calls.id), '[]') as recording_pauses`

const listenersColumn = (sql: SqlClient.SqlClient) => sql`
  coalesce((select json_agg(json_build_object('listener', l.listener, 'started_at', l.started_at,
                                              'ended_at', coalesce(l.ended_at, calls.ended_at)) order by l.started_at)
            from call_listeners l where l.call_id = calls.id), '[]') as listeners`

const takeoversColumn = (sql: SqlClient.SqlClient) => sql`
  coalesce((select json_agg(json_build_object('by', o.taken_by, 'started_at', o.started_at,
                                              'ended_at', coalesce(o.ended_at, calls.ended_at)) order by o.started_at)
            from call_takeovers o where o.call_id = calls.id), '[]') as takeovers`

const notesColumn = (sql: SqlClient.SqlClient) => sql`
  coalesce((select json_agg(json_build_object('id', n.id, 'by', n.written_by, 'text', n.text,
                                              'created_at', n.created_at) order by n.created_at, n.id)
            from call_notes n where n.call_id = calls.id), '[]') as notes`

const extractionColumns = (sql: SqlClient.SqlClient) => sql`
  (select json_build_object('state', x.state, 'reason', x.reason, 'ended_at', x.ended_at)
   from extractions x where x.call_id = calls.id) as extraction,
  result_fields(result, (select x.fields from extractions x where x.call_id = calls.id), transcript) as result_fields`

const transfersColumn = (sql: SqlClient.SqlClient) => sql`
  coalesce((select json_agg(json_build_object('call_id', t.id, 'to', t.to_number, 'started_at', t.started_at,
                                              'ended_at', t.ended_at, 'outcome', t.outcome,
                                              'end_reason', t.end_reason) order by t.started_at)
            from calls t where t.transfer_of = calls.id), '[]') as transfers`

/** A direct call that was judged shows why it was permitted. An attempt of a contact shows its own decision. */
const decisionColumns = (sql: SqlClient.SqlClient) => sql`
  case when campaign_id is null then (select d.record from dial_records d where d.id = calls.dial_record_id) end
    as decision,
  case when campaign_id is null then (
    select json_build_object('seq', r.seq, 'seal', s.number, 'sealed_at', s.sealed_at,
      'hash', encode(substring(s.leaves from 32 * (r.seq - s.first_seq)::int + 1 for 32), 'hex'))
    from receipts r cross join lateral (
      select * from receipt_seals where first_seq <= r.seq order by first_seq desc limit 1) s
    where r.call_id = calls.id and s.leaves is not null) end as receipt`

export const find = Effect.fn("CallHistory.find")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const statement = sql`
    select ${columns(sql)}, transcript, tool_invocations, turns, sound, answered_by, disclosure, ${sql.literal(optOutOf("calls"))} as opt_out, ${recordingColumns(sql)},
           ${listenersColumn(sql)}, ${takeoversColumn(sql)}, ${notesColumn(sql)}, transfer_of, ${transfersColumn(sql)},
           ${extractionColumns(sql)}, ${decisionColumns(sql)},
           jsonb_path_query_first(turns, '$[*].first_word_ms ? (@ != null)')::int as first_word_ms
    from calls where id = ${id}`
  const found = isUuid(id) ? yield* Effect.orDie(Rows.first(CallRow)(statement)) : undefined
  if (found === undefined) return yield* new NotFound({ resource: "call", id })
  const { decision, receipt, ...call } = found
  return decision === null ? call : { ...call, decision, receipt }
})

export const list = Effect.fn("CallHistory.list")(function* (filter: CallFilter) {
  const sql = yield* SqlClient.SqlClient
  const { page, page_size } = filter
  const offset = page * page_size
  const select = (rest: Statement.Fragment) =>
    sql`select ${columns(sql)} from calls where ${rest}`.pipe(Effect.flatMap(readable(SummaryRow)))
  if (filter.search !== undefined) {
    const { ids, total } = yield* searchCalls(filter)
    const items = yield* select(sql`id = any(${[...ids]}::uuid[]) order by started_at desc, id desc`)
    return { items, page, page_size, total } satisfies Page<CallSummary>
  }
  const where = hasAll(sql, filter)
  const rows = select(sql`${where} order by started_at desc, id desc limit ${page_size} offset ${offset}`)
  const count = sql<{ total: number }>`select count(*)::int as total from calls where ${where}`
  const [items, [counted]] = yield* Effect.all([rows, count], { concurrency: 2 })
  return { items, page, page_size, total: counted?.total ?? 0 } satisfies Page<CallSummary>
}, Effect.orDie)

/** A call's place in the order of the list. `started_at` is text, because a Date lacks its microseconds. */
export interface Place {
  readonly started_at: string
  readonly id: string
}

const PlacedRow = Schema.Struct({ ...SummaryRow.fields, place: Schema.String })

/** Reads the next calls after a place, newest first, and the place of the last one; null at the end. */
export const pageAfter = Effect.fn("CallHistory.pageAfter")(function* (
  filter: CallConditions,
  after: Place | null,
  size: number,
) {
  const sql = yield* SqlClient.SqlClient
  const reached =
    after === null ? sql.literal("true") : sql`(started_at, id) < (${after.started_at}::timestamptz, ${after.id}::uuid)`
  const rows = yield* Rows.all(PlacedRow)(sql`
    select ${columns(sql)}, started_at::text as place from calls where ${hasAll(sql, filter)} and ${reached}
    order by started_at desc, id desc limit ${size}`)
  const last = rows.length < size ? undefined : rows.at(-1)
  return { rows, last: last === undefined ? null : ({ started_at: last.place, id: last.id } satisfies Place) }
}, Effect.orDie)

/** As many as one screen can show. */
const mostInProgress = 200

/** Calls that have not ended, the newest first. */
export const listInProgress = Effect.fn("CallHistory.listInProgress")(function* (campaign_id: string | undefined) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select ${columns(sql)} from calls
    where id in (select call_id from live_calls) and ${campaign_id === undefined ? sql.literal("true") : sql`campaign_id = ${campaign_id}`}
    order by started_at desc, id desc limit ${mostInProgress}`.pipe(Effect.flatMap(readable(SummaryRow)))
}, Effect.orDie)
