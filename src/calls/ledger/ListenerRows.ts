/** The rows of listeners to live calls in an account's database. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import type { VersionAuthor } from "../../domain/AgentVersion.ts"
import type { CallId } from "../../domain/Call.ts"
import { json } from "../../tenancy/Json.ts"

/** Writes the row of a listener who begins to listen. Returns the row's id. */
export const begin = Effect.fn("ListenerRows.begin")(function* (call_id: CallId, listener: VersionAuthor) {
  const sql = yield* SqlClient.SqlClient
  const id = uuidv7()
  yield* sql`insert into call_listeners ${sql.insert({ id, call_id, listener: json(listener) })}`
  return id
}, Effect.orDie)

export const end = Effect.fn("ListenerRows.end")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update call_listeners set ended_at = clock_timestamp() where id = ${id}`
}, Effect.orDie)
