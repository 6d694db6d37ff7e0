/**
 * The do-not-call list. Dialling checks it in its own transaction (I12); an expired entry does not count. Entries for one
 * subject are stored apart (catalog/SubjectSuppressions).
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { E164 } from "../domain/E164.ts"
import { toE164 } from "../domain/NumberText.ts"
import { NotFound } from "../domain/Refusals.ts"
import type { PageRequest } from "../domain/Page.ts"
import { Suppression, type SuppressionSource } from "../domain/Suppression.ts"
import { momentOf } from "../domain/Timestamp.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import * as Rows from "../tenancy/Rows.ts"
import { transaction } from "../tenancy/Transaction.ts"
import * as ErasedNumbers from "./ErasedNumbers.ts"
import * as SubjectSuppressions from "./SubjectSuppressions.ts"
import { matchingNumber, pageOf } from "./Listing.ts"

const Row = Schema.toType(Suppression)
const Added = Schema.toType(Schema.Struct({ ...Suppression.fields, created: Schema.Boolean }))

export interface SuppressionFilter extends PageRequest {
  readonly search?: string
  readonly subject?: string
}

/** The condition of a search in the list. */
export const matchingSuppression = (sql: SqlClient.SqlClient, search: string | undefined) =>
  matchingNumber(sql, search, "phone_number", ["reason"])

export const list = Effect.fnUntraced(function* (filter: SuppressionFilter) {
  const sql = yield* SqlClient.SqlClient
  return yield* pageOf(
    {
      row: Row,
      columns: sql.literal("*"),
      from: sql.literal(SubjectSuppressions.everyEntry),
      where: [
        matchingSuppression(sql, filter.search),
        filter.subject === undefined ? undefined : sql`lower(subject) = lower(${filter.subject})`,
      ],
      order: sql.literal("created_at desc, phone_number"),
    },
    filter,
  )
})

export interface NewSuppression {
  readonly phone_number: E164
  readonly source: SuppressionSource
  readonly call_id?: string | null
  readonly reason?: string | null
  readonly expires_at?: Date | null
  /** Null forbids all calls. */
  readonly subject?: string | null
}

/**
 * Adds a number, or updates the reason and expiry of its entry. An entry whose source is `call` keeps that source: the
 * person asked for it.
 */
export const add = Effect.fn("Suppressions.add")(function* (entry: NewSuppression) {
  const { call_id = null, expires_at = null, phone_number, reason = null, source, subject = null } = entry
  if (subject !== null) {
    return yield* SubjectSuppressions.add({ phone_number, source, call_id, reason, expires_at, subject })
  }
  const sql = yield* SqlClient.SqlClient
  const { created, ...suppression } = yield* Rows.one(Added)(sql`
    insert into suppressions ${sql.insert({ phone_number, source, call_id, reason, expires_at })}
    on conflict (phone_number) do update set
      source = case when excluded.source = 'call' then 'call' else suppressions.source end,
      call_id = coalesce(excluded.call_id, suppressions.call_id),
      reason = excluded.reason, expires_at = excluded.expires_at
    returning phone_number, source, call_id, reason, created_at, expires_at, null::text as subject, xmax = 0 as created`)
  return { suppression, created }
}, Effect.orDie)

/** Adds an entry that a client wrote. */
export const addByHand = Effect.fnUntraced(function* (entry: WrittenSuppression) {
  const { expires_at, phone_number, reason = null, subject = null } = entry
  yield* note(phone_number, subject)
  return yield* add({ phone_number, source: "api", reason, expires_at: momentOf(expires_at), subject })
})

const note = (number: string, subject: string | null) =>
  Effect.andThen(
    AuditTrail.noteNumber(number),
    subject === null ? Effect.void : AuditTrail.note({ changes: [{ field: "subject", after: subject }] }),
  )

interface WrittenSuppression {
  readonly phone_number: E164
  readonly reason?: string | null
  readonly expires_at?: string | null
  readonly subject?: string | null
}

/** Removes the number's entry for this subject, or the one for all calls. The others stay. */
export const remove = Effect.fn("Suppressions.remove")(
  function* (phoneNumber: string, subject: string | null = null) {
    const number = toE164(phoneNumber)
    yield* note(number, subject)
    const wasThere = subject === null ? yield* removeForAll(number) : yield* SubjectSuppressions.remove(number, subject)
    if (!wasThere) return yield* new NotFound({ resource: "suppression", id: phoneNumber })
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

const removeForAll = Effect.fnUntraced(function* (number: string) {
  const sql = yield* SqlClient.SqlClient
  const removed = yield* sql`delete from suppressions where phone_number = ${number} returning phone_number`
  const wasErased = yield* ErasedNumbers.remove(number)
  return removed.length > 0 || wasErased
})

/**
 * Whether one number must not be called about this subject; null for a call that may be about anything, which an entry
 * for any subject forbids. The dial transaction checks its whole batch in its own query.
 */
export const isSuppressed = Effect.fn("Suppressions.isSuppressed")(function* (
  phoneNumber: string,
  subject: string | null = null,
) {
  const sql = yield* SqlClient.SqlClient
  const forbidden = yield* SubjectSuppressions.isForbidden(sql`${phoneNumber}::text`, sql`${subject}::text`)
  return (yield* sql`select where ${forbidden}`).length > 0
}, Effect.orDie)
