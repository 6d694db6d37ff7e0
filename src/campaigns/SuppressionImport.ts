/** Writes an uploaded do-not-call list into the account's list, once all of it is known to be readable. */
import { Effect, Schedule, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { SuppressionReport } from "../domain/SuppressionReport.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import { texts, timestamps } from "../tenancy/Columns.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import * as Rows from "../tenancy/Rows.ts"
import { TenantDatabases } from "../tenancy/TenantDatabases.ts"
import { transaction } from "../tenancy/Transaction.ts"
import { readList } from "./lists/ListReader.ts"
import { failAsRefusal } from "./lists/ListRefused.ts"
import { type SuppressionEntry, SuppressionRows, type SuppressionRules } from "./lists/SuppressionRows.ts"

/** The longest list: more than a million numbers with a short reason each. */
export const maximumBytes = 32 * 1_048_576

export interface SuppressionList {
  /** Is read twice. */
  readonly file: AsyncIterable<Buffer>
  readonly rules: SuppressionRules
}

/**
 * Reads the list to check it, and again to write it. A refused list writes nothing. Each batch is a transaction of its
 * own: one transaction for a million rows would keep its numbers locked for a minute, and the end of a call that adds
 * one of them would wait for it, together with the ends of the account's other calls.
 */
export const run = Effect.fn("SuppressionImport.run")(function* (list: SuppressionList) {
  const { errors, invalid, rows } = yield* read(list, () => Effect.void)
  const inTransaction = yield* transactions
  // Before the first batch, so that no number is added without it.
  yield* Effect.orDie(inTransaction(AuditTrail.write()))
  let [added, extended] = [0, 0]
  yield* read(list, (entries) =>
    inTransaction(writeEntries(entries)).pipe(
      Effect.retry(retry),
      Effect.orDie,
      Effect.map((written) => {
        added += written.added
        extended += written.extended
      }),
    ),
  )
  const unchanged = rows - invalid - added - extended
  return { rows, added, extended, unchanged, invalid, errors } satisfies SuppressionReport
})

/** Reads the whole list and returns what its rows were. `use` gets the valid ones in batches. */
const read = Effect.fnUntraced(function* <R>(
  { file, rules }: SuppressionList,
  use: (entries: ReadonlyArray<SuppressionEntry>) => Effect.Effect<void, never, R>,
) {
  let rows: SuppressionRows | undefined
  const batches = readList(file, maximumBytes, (first) => (rows = new SuppressionRows(first, rules)))
  yield* Stream.fromAsyncIterable(batches, (cause) => cause).pipe(
    Stream.runForEach(use),
    Effect.catch(failAsRefusal("numbers")),
  )
  return rows === undefined ? yield* Effect.die("the list was not read") : rows.tally
})

/** A batch that lost a deadlock, or its connection, is written again: it is the same the second time. */
const retry = { schedule: Schedule.spaced("1 second"), times: 5 }

/** Returns the function that runs its argument in a transaction of the account's own pool. */
const transactions = Effect.gen(function* () {
  const tenants = yield* TenantDatabases
  const tenant = yield* CurrentTenant
  return <A, E>(work: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    Effect.flatMap(tenants.open(tenant), (context) => Effect.provideContext(transaction(work), context)).pipe(
      Effect.scoped,
    )
})

const Written = Schema.Struct({ added: Schema.Int, extended: Schema.Int })

/** The two tables of entries, with the columns that tell their entries apart, and those that a list fills. */
const targets = [
  { table: "suppressions", isOfSubject: false, keys: "phone_number", columns: "phone_number, reason, expires_at" },
  {
    table: "subject_suppressions",
    isOfSubject: true,
    keys: "phone_number, subject_key",
    columns: "phone_number, reason, expires_at, subject",
  },
]

const writeEntries = Effect.fnUntraced(function* (entries: ReadonlyArray<SuppressionEntry>) {
  let [added, extended] = [0, 0]
  for (const target of targets) {
    const own = entries.filter(({ subject }) => (subject !== null) === target.isOfSubject)
    if (own.length === 0) continue
    const written = yield* writeInto(target, own)
    added += written.added
    extended += written.extended
  }
  return { added, extended }
})

/**
 * Writes entries, in the order of their numbers, so that two batches cannot wait for each other. An existing entry
 * stays as it is, except that its expiry is extended if the list's is later.
 */
const writeInto = Effect.fnUntraced(function* (
  { columns, keys, table }: (typeof targets)[number],
  entries: ReadonlyArray<SuppressionEntry>,
) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.one(Written)(sql`
    with listed as (
      select distinct on (${sql.literal(keys)}) *
      from (
        select *, lower(subject) as subject_key
        from unnest(${texts(entries.map(({ phone_number }) => phone_number))}::text[],
                    ${texts(entries.map(({ reason }) => reason))}::text[],
                    ${timestamps(entries.map(({ expires_at }) => expires_at))}::timestamptz[],
                    ${texts(entries.map(({ subject }) => subject))}::text[])
          with ordinality as l(phone_number, reason, expires_at, subject, at)) l
      order by ${sql.literal(keys)}, expires_at desc nulls first, at
    ), written as (
      insert into ${sql(table)} as s (source, ${sql.literal(columns)})
      select 'import', ${sql.literal(columns)} from listed
      on conflict (${sql.literal(keys)}) do update set expires_at = excluded.expires_at
        where s.expires_at < coalesce(excluded.expires_at, 'infinity')
      returning xmax = 0 as is_new
    )
    select count(*) filter (where is_new)::int as added, count(*) filter (where not is_new)::int as extended from written`)
})
