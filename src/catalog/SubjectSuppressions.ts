/**
 * Do-not-call entries for one subject. They forbid the campaigns about it, and every call that may be about anything
 * (decision 0089). Entries for all calls are in catalog/Suppressions.
 */
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { Suppression } from "../domain/Suppression.ts"
import * as Rows from "../tenancy/Rows.ts"
import * as ErasedNumbers from "./ErasedNumbers.ts"

/** The columns of an entry, in both tables. */
const columns = "phone_number, source, call_id, reason, created_at, expires_at"

/** Entries for all calls and for one subject, as one relation. */
export const everyEntry = `(
  select ${columns}, null::text as subject from suppressions
  union all select ${columns}, subject from subject_suppressions) e`

/** Whether an entry `o` concerns calls about this subject, which is null if they may be about anything. */
const concerns = (sql: SqlClient.SqlClient, subject: Statement.Fragment) =>
  sql`(${subject} is null or o.subject_key = lower(${subject}))`

/**
 * The condition that the number in this column must not be called about this subject now. Most accounts have no entry
 * for a subject. Because the first subquery depends on no number, it is evaluated once.
 */
export const isForbidden = Effect.fnUntraced(function* (column: Statement.Fragment, subject: Statement.Fragment) {
  const sql = yield* SqlClient.SqlClient
  return sql`(${yield* ErasedNumbers.isListed(column)}
    -- guard: an entry for a subject forbids calls about it (I12)
    or (select exists (select from subject_suppressions)) and exists (
      select from subject_suppressions o where o.phone_number = ${column} and ${concerns(sql, subject)}
      and (o.expires_at is null or o.expires_at > clock_timestamp()))
    -- end of guard
    )`
})

/** Until when entries for the subject forbid calls to the number: `infinity` without an end, null if there are none. */
export const forbiddenUntil = Effect.fnUntraced(function* (column: Statement.Fragment, subject: Statement.Fragment) {
  const sql = yield* SqlClient.SqlClient
  return sql`case when (select exists (select from subject_suppressions)) then (
    select max(coalesce(o.expires_at, 'infinity')) from subject_suppressions o
    where o.phone_number = ${column} and ${concerns(sql, subject)}) end`
})

/**
 * The entry that forbids calls to the number about this subject, as a row `s`. Of several it is the one that lasts the
 * longest.
 */
export const entryFor = Effect.fnUntraced(function* (column: Statement.Fragment, subject: Statement.Fragment) {
  const sql = yield* SqlClient.SqlClient
  return sql`(
    select ${sql.literal(columns)}, null::text as subject from suppressions where phone_number = ${column}
    union all
    select ${column}, e.source, null, null, e.created_at, e.expires_at, null from erased_suppressions e
    where ${yield* ErasedNumbers.isDigestOf(column)}
    union all
    select ${sql.literal(columns)}, subject from subject_suppressions o
    where o.phone_number = ${column} and ${concerns(sql, subject)}
    order by expires_at desc nulls first, subject nulls first limit 1) s`
})

const Row = Schema.toType(Suppression)
const Added = Schema.toType(Schema.Struct({ ...Suppression.fields, created: Schema.Boolean }))

/** An entry as it is written: with the columns of the table. */
export interface SubjectEntry extends Omit<Suppression, "created_at"> {
  readonly subject: string
}

/** Adds the entry, or updates the one of its number and subject. One whose source is `call` keeps that source. */
export const add = Effect.fn("SubjectSuppressions.add")(function* (entry: SubjectEntry) {
  const sql = yield* SqlClient.SqlClient
  const { created, ...suppression } = yield* Rows.one(Added)(sql`
    insert into subject_suppressions as o ${sql.insert({ ...entry })}
    on conflict (phone_number, subject_key) do update set
      source = case when excluded.source = 'call' then 'call' else o.source end,
      call_id = coalesce(excluded.call_id, o.call_id),
      reason = excluded.reason, expires_at = excluded.expires_at
    returning ${sql.literal(columns)}, subject, xmax = 0 as created`)
  return { suppression, created }
})

/** Removes the entry of the number for this subject. Returns whether there was one. */
export const remove = Effect.fn("SubjectSuppressions.remove")(function* (number: string, subject: string) {
  const sql = yield* SqlClient.SqlClient
  const removed = yield* sql`
    delete from subject_suppressions where phone_number = ${number} and subject_key = lower(${subject})
    returning phone_number`
  return removed.length > 0
})

/** The number's entries for one subject each, by subject. */
export const listOfNumber = Effect.fn("SubjectSuppressions.listOfNumber")(function* (number: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Row)(sql`
    select ${sql.literal(columns)}, subject from subject_suppressions where phone_number = ${number} order by subject_key`)
}, Effect.orDie)
