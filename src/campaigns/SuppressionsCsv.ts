/**
 * Streams the do-not-call list as CSV, in the order of its numbers, in the form that an import reads. Memory stays
 * flat.
 */
import { Effect, Option, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { matchingSuppression } from "../catalog/Suppressions.ts"
import { Suppression } from "../domain/Suppression.ts"
import type { ReadPage } from "../tenancy/Pages.ts"
import * as Rows from "../tenancy/Rows.ts"
import { type Cells, encodeRows } from "./CsvRows.ts"

const header: Cells = ["phone_number", "source", "reason", "created_at", "expires_at", "call_id"]
const Row = Schema.toType(Suppression)
const pageSize = 1_000

/** With `search`, exports only the entries that a search of the list finds. */
export const stream = (search: string | undefined, read: ReadPage) =>
  encodeRows(
    header,
    Stream.paginate<string, Iterable<Cells>>("", (after) =>
      Effect.map(read(page(search, after)), (rows) => {
        const last = rows.length < pageSize ? undefined : rows.at(-1)
        return [[rows.map(cellsOf)], Option.map(Option.fromUndefinedOr(last), ({ phone_number }) => phone_number)]
      }),
    ),
  )

const cellsOf = ({ call_id, created_at, expires_at, phone_number, reason, source }: typeof Row.Type): Cells => [
  phone_number,
  source,
  reason ?? "",
  created_at.toISOString(),
  expires_at?.toISOString() ?? "",
  call_id ?? "",
]

const page = Effect.fnUntraced(function* (search: string | undefined, after: string) {
  const sql = yield* SqlClient.SqlClient
  const found = matchingSuppression(sql, search) ?? sql`true`
  return yield* Rows.all(Row)(sql`
    select * from suppressions where phone_number > ${after} and ${found} order by phone_number limit ${pageSize}`)
}, Effect.orDie)
