/**
 * Numbers of erased people that must not be dialled. Only a keyed digest of such a number is stored. The key is derived
 * from the account's data key, which the account's database does not have, so a copy of that database does not reveal
 * the numbers.
 */
import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { createHash, createHmac } from "node:crypto"
import type { E164 } from "../domain/E164.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"

const digestKey = Effect.map(CurrentTenant, ({ dataKey }) =>
  createHmac("sha256", dataKey).update("erased numbers").digest(),
)

const digestOf = (number: string) =>
  Effect.map(digestKey, (key) => createHash("sha256").update(key).update(number).digest())

/**
 * The condition that the row `e` of `erased_suppressions` belongs to the number in this column. Most accounts have no
 * such rows. Because the first subquery depends on no number, it is evaluated once, and then no number is hashed.
 */
export const isDigestOf = Effect.fnUntraced(function* (column: Statement.Fragment) {
  const sql = yield* SqlClient.SqlClient
  return sql`(select exists (select from erased_suppressions))
    and e.digest = sha256(${yield* digestKey}::bytea || convert_to(${column}, 'UTF8'))`
})

/** The condition that the number in this column is on the do-not-call list, as an entry or as a digest. */
export const isListed = Effect.fnUntraced(function* (column: Statement.Fragment) {
  const sql = yield* SqlClient.SqlClient
  return sql`(
    exists (select from suppressions s where s.phone_number = ${column}
            and (s.expires_at is null or s.expires_at > clock_timestamp()))
    or exists (select from erased_suppressions e where ${yield* isDigestOf(column)}
               and (e.expires_at is null or e.expires_at > clock_timestamp())))`
})

/**
 * Replaces the number's entries on the do-not-call list by its digest, which forbids all calls for as long as the longest
 * of them: an entry for one subject would have to keep that subject. Returns whether the number is on the list.
 */
export const erase = Effect.fn("ErasedNumbers.erase")(function* (number: E164) {
  const sql = yield* SqlClient.SqlClient
  const digest = yield* digestOf(number)
  yield* sql`
    with entry as (delete from suppressions where phone_number = ${number} returning source, created_at, expires_at),
    of_subject as (
      delete from subject_suppressions where phone_number = ${number} returning source, created_at, expires_at)
    insert into erased_suppressions as e (digest, source, created_at, expires_at)
    select ${digest}::bytea, * from (select * from entry union all select * from of_subject) s
    order by expires_at desc nulls first limit 1
    on conflict (digest) do update set source = excluded.source,
      expires_at = case when e.expires_at is not null and excluded.expires_at is not null
        then greatest(e.expires_at, excluded.expires_at) end`
  return (yield* sql`select from erased_suppressions where digest = ${digest}`).length > 0
})

/** Removes the number's digest. Returns whether the number was on the list as a digest. */
export const remove = Effect.fn("ErasedNumbers.remove")(function* (number: string) {
  const sql = yield* SqlClient.SqlClient
  const removed = yield* sql`delete from erased_suppressions where digest = ${yield* digestOf(number)} returning source`
  return removed.length > 0
})
