/** The rows of recordings in an account's database. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { CallId } from "../domain/Call.ts"
import * as Rows from "../tenancy/Rows.ts"

const Found = Schema.toType(
  Schema.Struct({ host: Schema.String, is_stored: Schema.Boolean, has_ended: Schema.Boolean }),
)
export type RecordingRow = typeof Found.Type

/** Begins a recording; before its file exists, so that no file is without a row. */
export const insert = Effect.fn("RecordingRows.insert")(function* (id: CallId, host: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into recordings ${sql.insert({ id, call_id: id, host })}`
})

/** No sound was written. */
export const remove = Effect.fn("RecordingRows.remove")(function* (id: CallId) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from recordings where id = ${id}`
})

/** The recording of a call; undefined if there is none. */
export const find = Effect.fn("RecordingRows.find")(function* (id: CallId) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.first(Found)(sql`
    select r.host, r.stored_at is not null as is_stored, c.ended_at is not null as has_ended
    from recordings r join calls c on c.id = r.call_id where r.id = ${id}`)
}, Effect.orDie)
