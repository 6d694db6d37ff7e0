/** Streams an uploaded do-not-call list into the account's list: all valid rows, or nothing. */
import { Effect, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { SuppressionReport } from "../domain/SuppressionReport.ts"
import { texts, timestamps } from "../tenancy/Columns.ts"
import * as Rows from "../tenancy/Rows.ts"
import { readList } from "./ListReader.ts"
import { failAsRefusal } from "./ListRefused.ts"
import { type SuppressionEntry, SuppressionRows, type SuppressionRules } from "./SuppressionRows.ts"

/** The longest list: more than a million numbers with a short reason each. */
export const maximumBytes = 32 * 1_048_576

export interface SuppressionList {
  readonly file: AsyncIterable<Buffer>
  readonly rules: SuppressionRules
}

/** Imports a list in the caller's transaction, which a refusal rolls back. */
export const run = Effect.fn("SuppressionImport.run")(function* ({ file, rules }: SuppressionList) {
  let rows: SuppressionRows | undefined
  let [added, extended] = [0, 0]
  yield* awaitTurn
  const batches = readList(file, maximumBytes, (first) => (rows = new SuppressionRows(first, rules)))
  yield* Stream.fromAsyncIterable(batches, (cause) => cause).pipe(
    Stream.runForEach((entries) =>
      Effect.map(writeEntries(entries), (written) => {
        added += written.added
        extended += written.extended
      }),
    ),
    Effect.catch(failAsRefusal("numbers")),
  )
  if (rows === undefined) return yield* Effect.die("the list was not read")
  const { errors, invalid, rows: count } = rows.tally
  const unchanged = count - invalid - added - extended
  return { rows: count, added, extended, unchanged, invalid, errors } satisfies SuppressionReport
})

/**
 * Imports of an account run one after another. Each locks its numbers in the order of its file until it commits, so two
 * lists with the same numbers in another order would be a deadlock. The wait may be longer than one for a row may be.
 */
const awaitTurn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [limit] = yield* sql`select current_setting('lock_timeout') as usual, set_config('lock_timeout', '0', true)`
  yield* sql`select pg_advisory_xact_lock(hashtextextended('suppressions', 0))`
  yield* sql`select set_config('lock_timeout', ${String(limit?.["usual"])}, true)`
}).pipe(Effect.orDie)

const Written = Schema.Struct({ added: Schema.Int, extended: Schema.Int })

/** Writes entries. An existing entry stays as it is, except that its expiry is extended if the list's is later. */
const writeEntries = Effect.fnUntraced(function* (entries: ReadonlyArray<SuppressionEntry>) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.one(Written)(sql`
    with listed as (
      select distinct on (phone_number) phone_number, reason, expires_at
      from unnest(${texts(entries.map(({ phone_number }) => phone_number))}::text[],
                  ${texts(entries.map(({ reason }) => reason))}::text[],
                  ${timestamps(entries.map(({ expires_at }) => expires_at))}::timestamptz[])
        with ordinality as l(phone_number, reason, expires_at, at)
      order by phone_number, expires_at desc nulls first, at
    ), written as (
      insert into suppressions as s (phone_number, source, reason, expires_at)
      select phone_number, 'import', reason, expires_at from listed
      on conflict (phone_number) do update set expires_at = excluded.expires_at
        where s.expires_at < coalesce(excluded.expires_at, 'infinity')
      returning xmax = 0 as is_new
    )
    select count(*) filter (where is_new)::int as added, count(*) filter (where not is_new)::int as extended from written`)
}, Effect.orDie)
