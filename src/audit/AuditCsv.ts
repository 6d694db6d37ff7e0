/** The audit log of an account as CSV, newest first. Streamed. */
import { Effect, Option, Stream } from "effect"
import { type Cells, encodeRows } from "../campaigns/lists/CsvRows.ts"
import type { AuditChange, AuditEntry, AuditFilter } from "../domain/AuditEntry.ts"
import type { ReadPage } from "../tenancy/Pages.ts"
import { conditionsOf, pageAfter, type Place } from "./AuditLog.ts"

/** The columns after the entry's id. */
const columns = [
  ...["at", "actor_type", "actor_id", "actor_name", "address", "request_id"],
  ...["action", "object_kind", "object_id", "object_name", "changes"],
]

/** Entries per query. */
const pageSize = 200

/** The log as a stream of CSV. `read` must run its query with the account of the filter in its fiber. */
export const stream = Effect.fnUntraced(function* (filter: AuditFilter, read: ReadPage) {
  const conditions = yield* conditionsOf(filter)
  const pages = Stream.paginate<Place | null, Iterable<Cells>>(null, (after) =>
    Effect.map(read(pageAfter(conditions, after, pageSize)), ({ last, rows }) => [
      [Iterator.from(rows).map(cellsOf)],
      last === null ? Option.none() : Option.some(last),
    ]),
  )
  return encodeRows(["id", ...columns], pages)
})

const cellsOf = ({ action, actor, address, at, changes, id, object, request_id }: AuditEntry): Cells => [
  id,
  ...[at.toISOString(), actor.type, actor.id ?? "", actor.name ?? "", address ?? "", request_id ?? ""],
  ...[action, object.kind, object.id ?? "", object.name ?? "", changes.map(inWords).join("; ")],
]

/** A change in words: `status: draft → running`. If its values are not shown, only the field's name. */
const inWords = ({ after, before, field }: AuditChange): string =>
  before === undefined && after === undefined ? field : `${field}: ${textOf(before)} → ${textOf(after)}`

const textOf = (value: unknown): string =>
  value === undefined || value === null ? "none" : typeof value === "string" ? value : JSON.stringify(value)
