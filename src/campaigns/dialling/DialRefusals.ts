/** Records of decisions not to dial: one row for each contact and reason, however often it was decided. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { entryFor } from "../../catalog/SubjectSuppressions.ts"
import { refusedBecause, DialRefusal, type WindowGrounds } from "../../domain/DialRecord.ts"
import type { Decided } from "../../domain/DialDecision.ts"
import { json } from "../../tenancy/Json.ts"
import * as Rows from "../../tenancy/Rows.ts"
import type { Candidate } from "./DialQueue.ts"

/**
 * Records what a dial transaction refused. It runs in that transaction, so the entry of the do-not-call list is the one
 * that was found.
 */
export const keep = Effect.fn("DialRefusals.keep")(function* (
  decided: ReadonlyArray<Decided<Candidate>>,
  grounds: WindowGrounds<Candidate>,
  subject: string | null,
) {
  const rows = decided.flatMap(({ contact, verdict }) => {
    const refused = refusedBecause(contact, verdict, grounds)
    return refused === null ? [] : [{ contact_id: contact.id, phone_number: contact.phone_number, ...refused }]
  })
  if (rows.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into decisions (contact_id, reason, first_at, last_at, until, record)
    select d.contact_id, d.reason, d.at, d.at, d.until,
      case when d.reason = 'do_not_call' then jsonb_build_object('suppression', (
        select jsonb_build_object('phone_number', s.phone_number, 'source', s.source, 'call_id', s.call_id,
          'reason', s.reason, 'created_at', ${moment(sql, "s.created_at")}, 'expires_at', ${moment(sql, "s.expires_at")}, 'subject', s.subject)
        from ${yield* entryFor(sql.literal("d.phone_number"), sql`${subject}::text`)})) else d.record end
    from jsonb_to_recordset(${json(rows)}::jsonb) as d(
      contact_id uuid, phone_number text, reason text, at timestamptz, until timestamptz, record jsonb)
    on conflict (contact_id, reason) do update set
      count = decisions.count + 1, last_at = excluded.last_at, until = excluded.until, record = excluded.record`
})

/** As on the wire: RFC 3339, UTC, milliseconds. */
const moment = (sql: SqlClient.SqlClient, column: string) =>
  sql.literal(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)

const Row = Schema.toType(DialRefusal)

/** The refusals of one contact, the latest first. */
export const listOfContact = Effect.fn("DialRefusals.listOfContact")(function* (contactId: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Row)(sql`
    select case when until is null then 'skipped' else 'put_off' end as decision,
      reason, count, first_at, last_at, until, record
    from decisions where contact_id = ${contactId} order by last_at desc, reason`).pipe(Effect.orDie)
})
