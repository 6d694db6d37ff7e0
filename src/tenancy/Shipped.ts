/** The rows that every account's database begins with, beside its schema. Other rooms write them; none in a test of this room alone. */
import { Context, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

export const Shipped = Context.Reference<{
  /** Another digest is another template database. */
  readonly digest: string
  /** In the database of the `SqlClient` in the fiber, with its schema the newest; more than once, too. */
  readonly write: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>
}>("tenancy/Shipped", { defaultValue: () => ({ digest: "none", write: Effect.void }) })
