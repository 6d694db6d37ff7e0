/** Streams the consent ledger as CSV, in the order of its ids, which rise with time. Memory stays flat. */
import { Effect, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { ConsentRow, matchingConsent } from "../catalog/Consents.ts"
import type { Consent } from "../domain/Consent.ts"
import type { ReadPage } from "../tenancy/Pages.ts"
import * as Rows from "../tenancy/Rows.ts"
import { type Cells, encodeRows } from "./lists/CsvRows.ts"

/** The first four are ids, numbers and fixed words. */
const plain = 4
const others = [
  ...(["kind", "phone_number", "basis", "channel", "subject", "seller", "text", "source", "external_id"] as const),
  ...(["call_id", "at", "expires_at", "created_at", "used_at"] as const),
]
const pageSize = 500

/** With `search`, exports only the entries that a search of the list finds. */
export const stream = (search: string | undefined, read: ReadPage) =>
  encodeRows(
    ["id", ...others],
    Stream.paginate<string, Iterable<Cells>>("00000000-0000-0000-0000-000000000000", (after) =>
      Effect.map(read(page(search, after)), (rows) => {
        const last = rows.length < pageSize ? undefined : rows.at(-1)
        return [[rows.map(cellsOf)], Option.map(Option.fromUndefinedOr(last), ({ id }) => id)]
      }),
    ),
    plain,
  )

const cellsOf = (row: Consent): Cells => [
  row.id,
  ...others.map((name) => {
    const value = row[name]
    return value instanceof Date ? value.toISOString() : (value ?? "")
  }),
]

const page = Effect.fnUntraced(function* (search: string | undefined, after: string) {
  const sql = yield* SqlClient.SqlClient
  const found = matchingConsent(sql, search) ?? sql`true`
  return yield* Rows.all(ConsentRow)(sql`
    select * from consents where id > ${after}::uuid and ${found} order by id limit ${pageSize}`)
}, Effect.orDie)
