/** The do-not-call list. Dialling checks it in its own transaction (I12); an expired entry does not count. */
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
import { matchingNumber, pageOf } from "./Listing.ts"

const Row = Schema.toType(Suppression)
const Added = Schema.toType(Schema.Struct({ ...Suppression.fields, created: Schema.Boolean }))

export interface SuppressionFilter extends PageRequest {
  readonly search?: string
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
      from: sql.literal("suppressions"),
      where: [matchingSuppression(sql, filter.search)],
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
}

/**
 * Adds a number, or updates the reason and expiry of its entry. An entry whose source is `call` keeps that source: the
 * person asked for it.
 */
export const add = Effect.fn("Suppressions.add")(function* (entry: NewSuppression) {
  const sql = yield* SqlClient.SqlClient
  const { created, ...suppression } = yield* Rows.one(Added)(sql`
    insert into suppressions ${sql.insert({
      phone_number: entry.phone_number,
      source: entry.source,
      call_id: entry.call_id ?? null,
      reason: entry.reason ?? null,
      expires_at: entry.expires_at ?? null,
    })}
    on conflict (phone_number) do update set
      source = case when excluded.source = 'call' then 'call' else suppressions.source end,
      call_id = coalesce(excluded.call_id, suppressions.call_id),
      reason = excluded.reason, expires_at = excluded.expires_at
    returning phone_number, source, call_id, reason, created_at, expires_at, xmax = 0 as created`)
  return { suppression, created }
}, Effect.orDie)

/** Adds an entry that a client wrote. */
export const addByHand = ({ expires_at, phone_number, reason }: WrittenSuppression) =>
  Effect.andThen(
    AuditTrail.noteNumber(phone_number),
    add({ phone_number, source: "api", reason: reason ?? null, expires_at: momentOf(expires_at) }),
  )

interface WrittenSuppression {
  readonly phone_number: E164
  readonly reason?: string | null
  readonly expires_at?: string | null
}

export const remove = Effect.fn("Suppressions.remove")(
  function* (phoneNumber: string) {
    const sql = yield* SqlClient.SqlClient
    const number = toE164(phoneNumber)
    const removed = yield* sql`delete from suppressions where phone_number = ${number} returning phone_number`
    const wasErased = yield* ErasedNumbers.remove(number)
    yield* AuditTrail.noteNumber(number)
    if (removed.length === 0 && !wasErased) return yield* new NotFound({ resource: "suppression", id: phoneNumber })
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

/** Whether one number is on the list. The dial transaction checks its whole batch in its own query. */
export const isSuppressed = Effect.fn("Suppressions.isSuppressed")(function* (phoneNumber: string) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select where ${yield* ErasedNumbers.isListed(sql`${phoneNumber}::text`)}`).length > 0
}, Effect.orDie)
