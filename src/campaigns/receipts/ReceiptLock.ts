/** The lock between sealing decisions and deleting calls: a receipt is not written for a call that is being deleted. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Held by a sealer until its transaction ends. Sealers of an account work one after the other. */
export const lockForSealing = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`select pg_advisory_xact_lock(hashtextextended('receipts', 0))`,
)

/** Held by the caller's transaction, which deletes calls. The trigger `campaigns_gone` takes it too. */
export const lockForDeletion = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`select pg_advisory_xact_lock_shared(hashtextextended('receipts', 0))`,
)
