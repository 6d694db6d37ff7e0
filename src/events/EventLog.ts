/**
 * Reads the account's events in their order, without a gap. Triggers and functions of the account's database write them
 * (`events_append`).
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { v7 as uuidv7 } from "uuid"
import { optOutOf } from "../catalog/CallOptOuts.ts"
import { noCost } from "../domain/Call.ts"
import { Event, EventsPruned, type EventType } from "../domain/Event.ts"
import { invalid } from "../domain/Refusals.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { json } from "../tenancy/Json.ts"
import { readable } from "../tenancy/ReadableRows.ts"
import * as Rows from "../tenancy/Rows.ts"
import { transaction } from "../tenancy/Transaction.ts"

/** The maximum number of events that are read to fill one page of a certain type. */
const lookedAt = 10_000
/** A page ends with the event that exceeds this many bytes. The client of PostgreSQL refuses a row of 16 MiB. */
const mostBytesOfPage = 8 * 1024 * 1024
/** The number of batches of events that are deleted in one transaction. */
const prunedAtOnce = 500

export interface EventFilter {
  /** The number after which to read. By default, from the oldest event that is kept. */
  readonly after?: number
  readonly limit: number
  readonly type?: EventType
}

export const listAfter = Effect.fn("EventLog.listAfter")(function* (filter: EventFilter) {
  const sql = yield* SqlClient.SqlClient
  const from = filter.after === undefined ? sql`pruned_seq` : sql`${filter.after}::bigint`
  const { found, items, last_seq, pruned_seq } = yield* Rows.one(Log)(sql`
    with page as materialized (
      select ${columns(sql)}
      from event_log, events_between(${from}, ${from} + ${lookedAt}) e
      where ${filter.type === undefined ? sql.literal("true") : sql`type = ${filter.type}`}
      order by seq limit ${filter.limit}),
    sized as (
      select *, sum(coalesce(octet_length(data::text), 0))
        over (order by seq rows between unbounded preceding and 1 preceding) as bytes_before
      from page)
    select last_seq::float8, pruned_seq::float8, (select count(*)::int from page) as found, (
      select coalesce(jsonb_agg(to_jsonb(sized) - 'bytes_before' order by seq), '[]')
      from sized where coalesce(bytes_before, 0) <= ${mostBytesOfPage}
    ) as items from event_log`).pipe(Effect.orDie)
  const begin = filter.after ?? pruned_seq
  if (begin < pruned_seq) return yield* new EventsPruned({ after: begin, oldest_seq: pruned_seq + 1 })
  if (begin > last_seq) return yield* invalid("/query/after", `is beyond the last event, which is ${last_seq}`)
  // Event numbers have no gap, so a page that is not full has looked at all numbers up to a known one.
  const isFull = items.length > 0 && (found === filter.limit || items.length < found)
  const next_after = isFull
    ? Schema.decodeUnknownSync(Numbered)(items.at(-1)).seq
    : Math.min(last_seq, begin + lookedAt)
  return { items: yield* decodeEvents(items), next_after, has_more: next_after < last_seq }
})

/** The events with these numbers; pruned ones are missing. */
export const listSome = Effect.fn("EventLog.listSome")(function* (seqs: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  // A row for each event, because the client refuses rows of 16 MiB.
  const rows = yield* sql<{ readonly item: unknown }>`
    select to_jsonb(chosen) as item
    from (
      select ${columns(sql)}
      from unnest(${[...seqs]}::bigint[]) as asked(seq) cross join lateral events_between(asked.seq - 1, asked.seq) e) chosen`
  return new Map((yield* decodeEvents(rows.map(({ item }) => item))).map((event) => [event.seq, event]))
})

/** Deletes events that are older than this many days, with their deliveries. */
export const prune = Effect.fn("EventLog.prune")(function* (days: number) {
  const sql = yield* SqlClient.SqlClient
  const step = Effect.gen(function* () {
    const [gone] = yield* sql<{ readonly count: number; readonly last: number }>`
      with oldest as (select first_seq, created_at from event_batches order by first_seq limit ${prunedAtOnce}),
      gone as (
        delete from event_batches b using oldest
        where b.first_seq = oldest.first_seq and oldest.created_at < now() - make_interval(days => ${days})
        returning b.first_seq + cardinality(b.subject_ids) - 1 as last)
      select count(*)::int as count, coalesce(max(last), 0)::float8 as last from gone`
    if (gone === undefined || gone.count === 0) return 0
    yield* sql`
      delete from webhook_deliveries d using webhooks w where d.webhook_id = w.id and d.seq <= ${gone.last}::bigint`
    yield* sql`update event_log set pruned_seq = ${gone.last}::bigint`
    return gone.count
  })
  yield* transaction(step).pipe(Effect.repeat({ until: (count) => count < prunedAtOnce }))
})

/**
 * The id of an event: a UUIDv7 whose random part is derived from the account and the event's number. It is the same
 * whenever it is computed, differs between accounts, and costs the dial transaction nothing.
 */
export const eventId = (account: string, seq: number, created_at: Date): string =>
  uuidv7({ msecs: created_at.getTime(), random: createHash("sha256").update(`${account}/${seq}`).digest() })

/** The times inside `data` are texts, because all of it is one JSON value. */
const Row = Schema.Struct({
  seq: Event.fields.seq,
  type: Event.fields.type,
  created_at: Event.fields.created_at,
  // An event whose row an administrator deleted has no data.
  data: Schema.NullOr(Event.fields.data),
})
const Log = Schema.Struct({
  last_seq: Schema.Int,
  pruned_seq: Schema.Int,
  /** The number of events that the page would have without the limit on its bytes. */
  found: Schema.Int,
  items: Schema.Array(Schema.Unknown),
})
const Numbered = Schema.Struct({ seq: Event.fields.seq })

const decodeEvents = Effect.fnUntraced(function* (rows: ReadonlyArray<unknown>) {
  const { id } = yield* CurrentTenant
  return (yield* readable(Row)(rows)).flatMap(({ data, ...row }): ReadonlyArray<Event> =>
    data === null ? [] : [{ id: eventId(id, row.seq, row.created_at), ...row, data }],
  )
})

/**
 * An event's columns. The data of a call's or a contact's event is read from the row of the call or contact. It is as
 * it was at the event, unless the row was changed later.
 */
const columns = (sql: SqlClient.SqlClient) => {
  const beginning = sql`jsonb_build_object(
          'id', c.id, 'direction', c.direction, 'agent_id', c.agent_id, 'agent_name', c.agent_name,
          'agent_version', c.agent_version, 'campaign_id', c.campaign_id, 'contact_id', c.contact_id,
          'phone_number_id', c.phone_number_id, 'to', c.to_number, 'from', c.from_number, 'started_at', c.started_at)`
  const free = sql`${json(noCost)}::jsonb`
  return sql`
    e.seq, e.type, e.created_at,
    case
      when e.type = 'call.started' then (
        select ${beginning} || jsonb_build_object(
          'status', 'queued', 'outcome', null, 'end_reason', null, 'answered_at', null, 'ended_at', null,
          'duration_seconds', null, 'result', null, 'disposition', null, 'cost', ${free})
        from calls c where c.id = e.subject_id)
      when e.type in ('call.ended', 'call.opted_out', 'call.extracted', 'call.disposition_set') then (
        select ${beginning} || jsonb_build_object(
          'status', c.status, 'outcome', c.outcome, 'end_reason', c.end_reason, 'answered_at', c.answered_at,
          'ended_at', c.ended_at, 'duration_seconds', extract(epoch from c.ended_at - c.answered_at)::float8,
          'result', c.result, 'disposition', c.disposition, 'cost', case when c.cost = '{}' then ${free} else c.cost end)
          || case when e.type = 'call.extracted' then (
            select jsonb_build_object(
              'extraction', jsonb_build_object('state', x.state, 'reason', x.reason, 'ended_at', x.ended_at),
              'result_fields', result_fields(c.result, x.fields, c.transcript))
            from extractions x where x.call_id = c.id) else '{}' end
          || case when e.type = 'call.opted_out' then jsonb_build_object('opt_out', ${sql.literal(optOutOf("c"))}) else '{}' end
        from calls c where c.id = e.subject_id)
      when e.type like 'contact.%' then (
        select jsonb_build_object(
          'id', k.id, 'campaign_id', k.campaign_id, 'position', k.position, 'phone_number', nullif(k.phone_number, ''),
          'custom_fields', k.custom_fields, 'status', k.status, 'outcome', k.outcome, 'attempts', k.attempts,
          'last_call_id', k.last_call_id, 'callback_at', null) || coalesce(e.data, '{}')
        from contacts k where k.id = e.subject_id)
      else e.data
    end as data`
}
