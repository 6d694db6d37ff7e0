/**
 * Seals committed decisions: gives each dial its place in the account's chain of hashes (decision 0082). It runs beside
 * the dialler, so no dial waits for it.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { noHash, type ReceiptContent, type Seal } from "../../domain/Receipt.ts"
import { integers, texts, uuids } from "../../tenancy/Columns.ts"
import * as Rows from "../../tenancy/Rows.ts"
import * as Ticks from "../../tenancy/Ticks.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import { hashOf, leafOf, rootOf } from "./ReceiptHashes.ts"
import { lockForSealing } from "./ReceiptLock.ts"
import { callColumns, callFields, SealRow, sealColumns } from "./ReceiptRows.ts"

/**
 * Records in the first seal, and at most. A record is shared by the calls of one dial pass. Each further seal may have
 * twice as many: the dialler gives a sealer 2 s, which undoes a seal that is not committed, so the first one must be quick
 * on a busy machine too.
 */
const recordsAtFirst = 20
const mostRecords = 100
/** A seal ends with the record that reaches this number of calls. */
const callsAtOnce = 300

const RecordRow = Schema.toType(Schema.Struct({ id: Schema.String, record: Schema.JsonObject }))
type RecordRow = typeof RecordRow.Type
const CallRow = Schema.toType(Schema.Struct({ ...callFields, record_id: Schema.String }))

/** Seals all decisions that are committed now. Sealers of an account work one after the other. */
export const seal = Effect.fn("ReceiptSealer.seal")(function* () {
  let records = recordsAtFirst
  while (yield* sealSome(records)) records = Math.min(2 * records, mostRecords)
}, Effect.orDie)

/** Seals the oldest unsealed records in one transaction. Returns whether there may be more. */
const sealSome = Effect.fnUntraced(function* (atMost: number) {
  const sql = yield* SqlClient.SqlClient
  const [waiting] = yield* sql`select from dial_records where not sealed limit 1`
  if (waiting === undefined) return false
  yield* lockForSealing
  const unsealed = yield* Rows.all(RecordRow)(sql`
    select id, record from dial_records where not sealed order by id limit ${atMost}`)
  const callsOf = Map.groupBy(yield* readCalls(unsealed), ({ record_id }) => record_id)
  const calls: Array<CallRow> = []
  const records: Array<RecordRow> = []
  for (const record of unsealed) {
    if (calls.length >= callsAtOnce) break
    records.push(record)
    calls.push(...(callsOf.get(record.id) ?? []))
  }
  if (calls.length > 0) yield* append(records, calls)
  yield* sql`update dial_records set sealed = true where id = any(${records.map(({ id }) => id)}::uuid[])`
  return records.length < unsealed.length || unsealed.length === atMost
}, transaction)

type CallRow = typeof CallRow.Type

/** The calls of these records. A call begins within the transaction of its decision, so at most minutes after it. */
const readCalls = Effect.fnUntraced(function* (records: ReadonlyArray<RecordRow>) {
  const times = records.map(({ record }) => Date.parse(String(record["decided_at"])))
  const near = yield* callsBetween(records, Math.min(...times) - minute, Math.max(...times) + 30 * minute)
  const found = new Set(near.map(({ record_id }) => record_id))
  const others = records.filter(({ id }) => !found.has(id))
  return others.length === 0 ? near : [...near, ...(yield* callsBetween(others, -Infinity, Infinity))]
})

const minute = 60_000
const momentOf = (time: number) => (Number.isFinite(time) ? new Date(time).toISOString() : null)

const callsBetween = Effect.fnUntraced(function* (records: ReadonlyArray<RecordRow>, from: number, until: number) {
  const sql = yield* SqlClient.SqlClient
  const ids = records.map(({ id }) => id)
  return yield* Rows.all(CallRow)(sql`
    select ${callColumns(sql)}, c.dial_record_id as record_id from calls c
    where c.dial_record_id = any(${ids}::uuid[])
      and c.started_at >= coalesce(${momentOf(from)}::timestamptz, '-infinity')
      and c.started_at <= coalesce(${momentOf(until)}::timestamptz, 'infinity')
      and not exists (select from receipts r where r.call_id = c.id)
    order by c.id`)
})

const First = Schema.toType(Schema.Struct({ last: Schema.NullOr(SealRow), sealed_at: Schema.String }))

/** Appends a seal over these calls, in their order. */
const append = Effect.fnUntraced(function* (records: ReadonlyArray<RecordRow>, calls: ReadonlyArray<CallRow>) {
  const sql = yield* SqlClient.SqlClient
  const { last, sealed_at } = yield* Rows.one(First)(sql`
    select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as sealed_at,
      (select to_jsonb(l) from (
        select ${sealColumns(sql)} from receipt_seals s order by s.number desc limit 1) l) as last`)
  const recordOf = new Map(records.map(({ id, record }) => [id, record]))
  const random = randomBytes(16 * calls.length).toString("hex")
  const nonces = calls.map((_, at) => random.slice(32 * at, 32 * (at + 1)))
  const leaves = yield* Ticks.map(calls.entries(), ([at, { record_id, ...call }]) =>
    leafOf(nonces[at] ?? "", { format: 1, ...call, decision: recordOf.get(record_id) ?? {} } satisfies ReceiptContent),
  )
  const times = calls.map(({ started_at }) => started_at).sort()
  const header: Omit<Seal, "hash"> = {
    number: (last?.number ?? 0) + 1,
    first_seq: last === null ? 1 : last.first_seq + last.count,
    count: calls.length,
    first_at: times[0] ?? sealed_at,
    last_at: times.at(-1) ?? sealed_at,
    sealed_at,
    previous: last?.hash ?? noHash,
    root: rootOf(leaves),
  }
  yield* sql`
    insert into receipt_seals (number, first_seq, count, first_at, last_at, sealed_at, previous, root, leaves, hash)
    values (${header.number}, ${header.first_seq}, ${header.count}, ${header.first_at}, ${header.last_at},
      ${header.sealed_at}, decode(${header.previous}, 'hex'), decode(${header.root}, 'hex'),
      decode(${leaves.join("")}, 'hex'), decode(${hashOf(header)}, 'hex'))`
  yield* sql`
    insert into receipts (seq, call_id, nonce)
    select ${header.first_seq}::bigint + at, call_id, decode(nonce, 'hex')
    from unnest(${uuids(calls.map(({ call_id }) => call_id))}, ${texts(nonces)}, ${integers(calls.map((_, at) => at))})
      as r(call_id, nonce, at)`
})
