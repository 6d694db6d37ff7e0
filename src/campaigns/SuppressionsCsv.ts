/**
 * Streams the do-not-call list as CSV, in the order of its numbers, in the form that an import reads. Entries for one
 * subject follow the others, and only a list that has some gets their column. Memory stays flat.
 */
import { Effect, Option, Schema, Stream } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { matchingSuppression } from "../catalog/Suppressions.ts"
import { Suppression } from "../domain/Suppression.ts"
import type { ReadPage } from "../tenancy/Pages.ts"
import * as Rows from "../tenancy/Rows.ts"
import { type Cells, encodeRows } from "./lists/CsvRows.ts"
import { subjectColumn } from "./lists/SuppressionRows.ts"

const header: Cells = ["phone_number", "source", "reason", "created_at", "expires_at", "call_id"]
const Row = Schema.toType(Suppression)
type Entry = typeof Row.Type
const pageSize = 1_000

/** With `search`, exports only the entries that a search of the list finds. */
export const stream = (search: string | undefined, read: ReadPage) =>
  Stream.unwrap(
    Effect.map(read(hasSubjects), (withSubjects) => {
      const pages = (page: typeof pageForAll) =>
        Stream.paginate<Entry | undefined, Iterable<Cells>>(undefined, (after) =>
          Effect.map(read(page(search, after)), (rows) => {
            const last = rows.length < pageSize ? undefined : rows.at(-1)
            return [[rows.map((row) => cellsOf(row, withSubjects))], Option.fromUndefinedOr(last)]
          }),
        )
      return withSubjects
        ? encodeRows([...header, subjectColumn], Stream.concat(pages(pageForAll), pages(pageOfSubjects)))
        : encodeRows(header, pages(pageForAll))
    }),
  )

const cellsOf = (
  { call_id, created_at, expires_at, phone_number, reason, source, subject }: Entry,
  withSubject: boolean,
): Cells => [
  phone_number,
  source,
  reason ?? "",
  created_at.toISOString(),
  expires_at?.toISOString() ?? "",
  call_id ?? "",
  ...(withSubject ? [subject ?? ""] : []),
]

const hasSubjects = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select from subject_suppressions limit 1`).length > 0
}).pipe(Effect.orDie)

const pageForAll = Effect.fnUntraced(function* (search: string | undefined, after: Entry | undefined) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Row)(sql`
    select *, null::text as subject from suppressions
    where phone_number > ${after?.phone_number ?? ""} and ${found(sql, search)} order by phone_number limit ${pageSize}`)
}, Effect.orDie)

const pageOfSubjects = Effect.fnUntraced(function* (search: string | undefined, after: Entry | undefined) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Row)(sql`
    select * from subject_suppressions
    where (phone_number, subject_key) > (${after?.phone_number ?? ""}, lower(${after?.subject ?? ""}))
      and ${found(sql, search)}
    order by phone_number, subject_key limit ${pageSize}`)
}, Effect.orDie)

const found = (sql: SqlClient.SqlClient, search: string | undefined): Statement.Fragment =>
  matchingSuppression(sql, search) ?? sql`true`
