/** The rows of take-overs of live calls in an account's database. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import type { VersionAuthor } from "../../domain/AgentVersion.ts"
import type { CallId } from "../../domain/Call.ts"
import { json } from "../../tenancy/Json.ts"

/** Writes the row of a take-over that begins. Returns the row's id. */
export const begin = Effect.fn("TakeoverRows.begin")(function* (call_id: CallId, by: VersionAuthor) {
  const sql = yield* SqlClient.SqlClient
  const id = uuidv7()
  yield* sql`insert into call_takeovers ${sql.insert({ id, call_id, taken_by: json(by) })}`
  return id
}, Effect.orDie)

export const end = Effect.fn("TakeoverRows.end")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update call_takeovers set ended_at = clock_timestamp() where id = ${id}`
}, Effect.orDie)

/** Deletes the row of a take-over that failed to begin. */
export const remove = Effect.fn("TakeoverRows.remove")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from call_takeovers where id = ${id}`
}, Effect.orDie)
