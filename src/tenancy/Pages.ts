/**
 * Reads for an answer that is streamed page by page: each page borrows the account's database and gives it back, so a
 * client that stops reading holds no place that other accounts need.
 */
import { Effect, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { CurrentTenant } from "./CurrentTenant.ts"
import { TenantDatabases } from "./TenantDatabases.ts"

/** Runs the query of one page. */
export type ReadPage = <A>(query: Effect.Effect<A, never, SqlClient.SqlClient>) => Effect.Effect<A>

/**
 * Opening the database is retried for some seconds, because a client that has half of its export would have to begin
 * again.
 */
const retry = { schedule: Schedule.spaced("1 second"), times: 5 }

/**
 * Returns the function that reads pages of the fiber's account. The request must release its own database before the
 * stream begins.
 */
export const reader = Effect.gen(function* () {
  const tenants = yield* TenantDatabases
  const tenant = yield* CurrentTenant
  const read: ReadPage = (query) =>
    Effect.scoped(
      tenants.open(tenant).pipe(
        Effect.retry(retry),
        Effect.orDie,
        Effect.flatMap((context) => Effect.provideContext(query, context)),
      ),
    )
  return read
})
