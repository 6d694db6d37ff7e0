/**
 * Carriers' reports on calls, as rows: one row for each call, with all its reports joined and the words heard on it.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { CallId } from "../domain/Call.ts"
import { CarrierReport, join } from "../domain/CarrierReport.ts"
import { json } from "../tenancy/Json.ts"
import * as Rows from "../tenancy/Rows.ts"
import { transaction } from "../tenancy/Transaction.ts"

/** Words that a carrier's own recogniser heard. `mark` names the position in the talk and is unique within the call. */
export const Words = Schema.Struct({ mark: Schema.String, text: Schema.String, at: Schema.Finite })
export type Words = typeof Words.Type

const Row = Schema.Struct({
  call_id: Schema.String,
  sid: Schema.NullOr(Schema.String),
  ...CarrierReport.fields,
  words: Schema.Array(Words),
  dialog: Schema.NullOr(Schema.JsonObject),
  invitation: Schema.NullOr(Schema.JsonObject),
  version: Schema.Int,
})
export type CarrierCall = typeof Row.Type

const columns = `
  c.call_id::text, c.sid, c.status, c.sequence, c.answered_at, c.duration_seconds, c.sip_code, c.words, c.dialog,
  c.invitation, c.version`

const select = (sql: SqlClient.SqlClient, id: CallId, lock = "") =>
  sql`select ${sql.literal(columns)} from carrier_calls c where c.call_id = ${id} ${sql.literal(lock)}`

export const find = Effect.fn("CarrierCalls.find")(function* (id: CallId) {
  const sql = yield* SqlClient.SqlClient
  return (yield* Rows.first(Row)(select(sql, id))) ?? null
})

export interface News {
  /** Null: the carrier has made no call. */
  readonly sid: string | null
  readonly report: CarrierReport
  readonly words?: Words
  /** What another process needs to end an answered SIP call. */
  readonly dialog?: Schema.JsonObject
  /** What another process needs to stop the ringing of a SIP call; of no use once there is a dialog. */
  readonly invitation?: Schema.JsonObject
}

/**
 * Joins a report into the call's row, commits, and returns the row. If the report is about another of the carrier's
 * calls, changes nothing and returns null.
 */
export const tell = Effect.fn("CarrierCalls.tell")(
  function* (id: CallId, { dialog, invitation, report, sid, words }: News) {
    const sql = yield* SqlClient.SqlClient
    const heard = words === undefined ? [] : [words]
    yield* sql`
      insert into carrier_calls ${sql.insert({ call_id: id, sid, ...report, words: json(heard) })}
      on conflict do nothing`
    const before = yield* Rows.first(Row)(select(sql, id, "for update"))
    // The carrier's call belongs to another call of ours.
    if (before === undefined) return null
    if (before.sid !== null && sid !== null && before.sid !== sid) return null
    const joined = join(before, report)
    const isNew =
      words !== undefined && !before.words.some(({ mark }) => mark === words.mark) && hasRoomFor(before.words, words)
    const all = isNew ? [...before.words, words] : before.words
    const now = {
      ...joined,
      sid: sid ?? before.sid,
      words: all,
      dialog: dialog ?? before.dialog,
      invitation: invitation ?? before.invitation,
    }
    const isOld = dialog === undefined && invitation === undefined && !isNew
    if (isOld && now.sid === before.sid && isSame(before, joined)) return before
    const stored = (value: Schema.JsonObject | null) => (value === null ? null : json(value))
    const columns = { ...now, words: json(all), dialog: stored(now.dialog), invitation: stored(now.invitation) }
    yield* sql`
      update carrier_calls set ${sql.update(columns)}, version = version + 1, updated_at = now()
      where call_id = ${id}`
    return { ...before, ...now, version: before.version + 1 }
  },
  transaction,
  // The carrier's call belongs to another call of ours, as above, but this row had no `sid` yet.
  Effect.catchReason("SqlError", "UniqueViolation", () => Effect.succeed(null)),
)

const isSame = (one: CarrierReport, other: CarrierReport) =>
  one.status === other.status &&
  one.sequence === other.sequence &&
  one.answered_at?.getTime() === other.answered_at?.getTime() &&
  one.duration_seconds === other.duration_seconds &&
  one.sip_code === other.sip_code

/**
 * Limits of a call's stored words: more than a person says in four hours. Every report reads all of them, and a client
 * could forge reports, because it knows the secrets that its carrier signs with.
 */
const most = { words: 1_500, characters: 200_000 }

const hasRoomFor = (known: ReadonlyArray<Words>, one: Words): boolean => {
  const lengths = [...known, one].map(({ mark, text }) => mark.length + text.length)
  return known.length < most.words && lengths.reduce((sum, length) => sum + length, 0) <= most.characters
}

/** Returns the rows of these calls whose version is above the one given. */
export const listSince = Effect.fn("CarrierCalls.listSince")(function* (known: ReadonlyMap<CallId, number>) {
  const sql = yield* SqlClient.SqlClient
  const rows = [...known].map(([id, version]) => ({ id, version }))
  return yield* Rows.all(Row)(sql`
    select ${sql.literal(columns)}
    from jsonb_to_recordset(${json(rows)}::jsonb) as k(id uuid, version int)
    join carrier_calls c on c.call_id = k.id and c.version > k.version`)
})

/** Returns those of the carrier's call ids that already belong to a call of ours. */
export const findTaken = Effect.fn("CarrierCalls.findTaken")(function* (sids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ sid: string }>`select sid from carrier_calls where sid = any(${[...sids]})`
  return new Set(rows.map(({ sid }) => sid))
})
