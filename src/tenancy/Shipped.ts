/**
 * The rows that every account's database begins with, in addition to its schema. Other rooms provide them; a test of
 * only this room has none.
 */
import { Context, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

export const Shipped = Context.Reference<{
  /** Part of the template database's name: another digest makes another template. */
  readonly digest: string
  /** Writes the rows with the fiber's `SqlClient`, whose schema is the newest. Idempotent. */
  readonly write: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>
}>("tenancy/Shipped", { defaultValue: () => ({ digest: "none", write: Effect.void }) })
