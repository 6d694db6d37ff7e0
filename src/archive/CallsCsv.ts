/**
 * The account's calls as CSV, newest first: all of them, or those that a filter selects. Streamed, so the use of memory
 * stays constant.
 */
import { Effect, Option, Stream } from "effect"
import * as CallHistory from "../calls/CallHistory.ts"
import type { CallConditions } from "../calls/CallSearch.ts"
import type { CallSummary } from "../domain/Call.ts"
import type { ReadPage } from "../tenancy/Pages.ts"
import { type Cells, encodeRows } from "../campaigns/lists/CsvRows.ts"

/** The id and both numbers, which are written as they are. */
const plain = ["id", "from", "to"] as const
const columns = [
  ...["direction", "status", "outcome", "end_reason", "agent_name", "agent_id", "campaign_id", "contact_id"],
  ...["started_at", "answered_at", "ended_at", "duration_seconds", "cost", "currency", "result", "disposition"],
]

/** Calls per query. A result may have 64 KB, and all calls of a query are decoded in one tick. */
const pageSize = 50

export const stream = (filter: CallConditions, read: ReadPage) =>
  encodeRows(
    [...plain, ...columns],
    Stream.paginate<CallHistory.Place | null, Iterable<Cells>>(null, (after) =>
      Effect.map(read(CallHistory.pageAfter(filter, after, pageSize)), ({ last, rows }) => [
        [Iterator.from(rows).map(cellsOf)],
        last === null ? Option.none() : Option.some(last),
      ]),
    ),
    plain.length,
  )

const cellsOf = (call: CallSummary): Cells => [
  call.id,
  ...[call.from ?? "", call.to ?? ""],
  ...[call.direction, call.status, call.outcome ?? "", call.end_reason ?? ""],
  ...[call.agent_name, call.agent_id, call.campaign_id ?? "", call.contact_id ?? ""],
  ...[call.started_at.toISOString(), call.answered_at?.toISOString() ?? "", call.ended_at?.toISOString() ?? ""],
  ...[
    call.duration_seconds === null ? "" : String(call.duration_seconds),
    String(call.cost.amount),
    call.cost.currency,
  ],
  call.result === null ? "" : JSON.stringify(call.result),
  call.disposition?.key ?? "",
]
