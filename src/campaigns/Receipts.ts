/** Reads the account's chain of receipts: its head, and all of it as the lines of `receipts.jsonl`. */
import { Effect, Option, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { canonicalJson } from "../domain/CanonicalJson.ts"
import { noHash, ReceiptHead, AttemptReceipt, type ReceiptLine, Seal } from "../domain/Receipt.ts"
import type { ReadPage } from "../tenancy/Pages.ts"
import * as Rows from "../tenancy/Rows.ts"
import * as Ticks from "../tenancy/Ticks.ts"
import { transaction } from "../tenancy/Transaction.ts"
import { callColumns, callFields, sealColumns } from "./receipts/ReceiptRows.ts"

const HeadRow = Schema.toType(ReceiptHead)

export const head = Effect.fn("Receipts.head")(function* () {
  const sql = yield* SqlClient.SqlClient
  const last = yield* Rows.first(HeadRow)(sql`
    select number::float8 as seal, encode(hash, 'hex') as hash, (first_seq + count - 1)::float8 as receipts, sealed_at
    from receipt_seals order by number desc limit 1`).pipe(Effect.orDie)
  return last ?? { seal: 0, hash: noHash, receipts: 0, sealed_at: null }
})

const OfCall = Schema.toType(Schema.Struct({ call_id: Schema.String, ...AttemptReceipt.fields }))

/** The receipts of a contact's attempts, by the ids of their calls. An attempt that is not sealed yet has none. */
export const findOfContact = Effect.fn("Receipts.findOfContact")(function* (contactId: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* Rows.all(OfCall)(sql`
    select r.call_id, r.seq::float8 as seq, s.number::float8 as seal, s.sealed_at,
      encode(substring(s.leaves from 32 * (r.seq - s.first_seq)::int + 1 for 32), 'hex') as hash
    from calls c join receipts r on r.call_id = c.id cross join lateral (
      select * from receipt_seals where first_seq <= r.seq order by first_seq desc limit 1) s
    where c.contact_id = ${contactId} and s.leaves is not null`).pipe(Effect.orDie)
  return new Map(rows.map(({ call_id, ...receipt }) => [call_id, receipt]))
})

/** Moments between which the calls of interest began. */
export interface Range {
  readonly from: Date | null
  readonly to: Date | null
}

/**
 * The lines of the chain, or of the seals that contain the calls of a range with all seals between them. Memory stays
 * flat.
 */
export const lines = (range: Range, read: ReadPage): Stream.Stream<string> => {
  const header = Stream.succeed(canonicalJson({ parley_receipts: 1 }))
  const rules = Stream.fromIterableEffect(
    Effect.map(read(readRules), (rows) => rows.map(({ digest, packs }) => canonicalJson({ rules: digest, packs }))),
  )
  const seals = Stream.unwrap(
    Effect.map(read(span(range)), ({ first, last }) =>
      Stream.paginate<number, string>(first, (from) =>
        Effect.map(read(page(from, last)), (page) => [
          page.lines,
          page.next === null ? Option.none() : Option.some(page.next),
        ]),
      ),
    ),
  )
  return Stream.concat(Stream.concat(header, rules), seals)
}

const RulesRow = Schema.toType(Schema.Struct({ digest: Schema.String, packs: Schema.Json }))

const readRules = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(RulesRow)(sql`select digest, packs from rule_contents order by digest`)
}).pipe(Effect.orDie)

const Span = Schema.Struct({ first: Schema.Int, last: Schema.Int })

const span = Effect.fnUntraced(function* ({ from, to }: Range) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.one(Span)(sql`
    select coalesce(min(number), 1)::float8 as first, coalesce(max(number), 0)::float8 as last from receipt_seals
    where last_at >= coalesce(${from}::timestamptz, '-infinity') and first_at <= coalesce(${to}::timestamptz, 'infinity')`)
}, Effect.orDie)

/** Seals in one page, and their receipts: at most this many, or one seal. A receipt has some two kilobytes. */
const sealsAtOnce = 100
const receiptsAtOnce = 500

const PageRow = Schema.toType(
  Schema.Struct({ ...Seal.fields, leaves: Schema.NullOr(Schema.String), sum: Schema.Finite }),
)
const Kept = Schema.toType(
  Schema.Struct({
    seq: Schema.Int,
    nonce: Schema.NullOr(Schema.String),
    call: Schema.NullOr(Schema.Struct(callFields)),
    /** Not decoded further, because the check itself reports what it cannot read. */
    record: Schema.NullOr(Schema.Json),
  }),
)

const page = Effect.fnUntraced(
  function* (from: number, last: number) {
    const sql = yield* SqlClient.SqlClient
    // An erasure does not come between a seal, its receipts and their calls.
    yield* sql`set transaction isolation level repeatable read, read only`
    const near = yield* Rows.all(PageRow)(sql`
      select ${sealColumns(sql)}, encode(s.leaves, 'hex') as leaves, s.sum::float8 as sum
      from (
        select *, sum(count) over (order by number) from receipt_seals
        where number between ${from} and ${last} order by number limit ${sealsAtOnce}) s
      order by s.number`)
    const seals = near.filter(({ number, sum }) => number === near[0]?.number || sum <= receiptsAtOnce)
    const [first, end] = [seals[0], seals.at(-1)]
    if (first === undefined || end === undefined) return { lines: [], next: null }
    const rows = yield* Rows.all(Kept)(sql`
      select r.seq::float8 as seq, encode(r.nonce, 'hex') as nonce, d.record,
        case when c.call_id is not null then to_jsonb(c) - 'record_id' end as call
      from receipts r
        left join lateral (
          select ${callColumns(sql)}, c.dial_record_id as record_id from calls c where c.id = r.call_id) c on true
        left join dial_records d on d.id = c.record_id
      where r.seq >= ${first.first_seq} and r.seq < ${end.first_seq + end.count}`)
    const kept = new Map(rows.map((row) => [row.seq, row]))
    const lines = yield* Ticks.map(seals, (seal) => linesOf(seal, kept))
    return { lines: lines.flat(), next: end.number >= last ? null : end.number + 1 }
  },
  transaction,
  Effect.orDie,
)

const linesOf = (
  { leaves, sum: _, ...seal }: typeof PageRow.Type,
  rows: ReadonlyMap<number, typeof Kept.Type>,
): ReadonlyArray<string> => {
  const { number, ...fields } = seal
  const line = canonicalJson({ seal: number, ...fields, pruned: leaves === null })
  if (leaves === null) return [line]
  return [line, ...Array.from({ length: seal.count }, (_, at) => receiptLine(seal, leaves, at, rows))]
}

const receiptLine = (
  { first_seq }: Seal,
  leaves: string,
  at: number,
  rows: ReadonlyMap<number, typeof Kept.Type>,
): string => {
  const seq = first_seq + at
  const leaf = leaves.slice(64 * at, 64 * (at + 1))
  const row = rows.get(seq)
  const none = { seq, leaf, nonce: null, receipt: null }
  if (row !== undefined && row.nonce === null && row.call === null) {
    return canonicalJson({ ...none, state: "erased" } satisfies ReceiptLine)
  }
  if (row?.nonce === undefined || row.nonce === null || row.call === null || row.record === null) {
    return canonicalJson({ ...none, state: "missing" } satisfies ReceiptLine)
  }
  const receipt = { format: 1, ...row.call, decision: row.record }
  return canonicalJson({ seq, leaf, state: "kept", nonce: row.nonce, receipt })
}
