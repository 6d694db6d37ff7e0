/** The one way to run a transaction: every trouble with SQL inside it is a typed `SqlError`. */
import { type Cause, Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"

/**
 * Plans are made when a table is small, and kept when it has grown; and what is known of one that grows by thousands a
 * second is wrong. A scan of all calls for a batch of ends, or each end held against every call, then takes longer than
 * everything else. So the plan is one for all sizes: no scan, and what is dear is each entry of an index that is looked at.
 */
const planning = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  plan_cache_mode: "force_generic_plan",
  cpu_index_tuple_cost: "1",
  random_page_cost: "0",
  // Up to PostgreSQL 17 a table of one row then looks dear enough to compile its scan, which takes longer still.
  jit: "off",
}

/** Selected once in a transaction that finds its rows by their keys. */
export const byIndex = (sql: SqlClient.SqlClient) =>
  sql.literal(
    Object.entries(planning)
      .map(([name, value]) => `set_config('${name}', '${value}', true)`)
      .join(", "),
  )

/**
 * `sql.withTransaction` makes a defect of a connection that is lost inside it (its ROLLBACK fails too), which no
 * `catch` or `retry` sees and which would kill a dialler's fiber. Within a transaction it is a savepoint.
 */
export const transaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(effect)).pipe(
    Effect.catchCause((cause): Effect.Effect<never, E | SqlError.SqlError> => {
      for (const reason of cause.reasons) {
        if (reason._tag === "Die" && SqlError.isSqlError(reason.defect)) return Effect.fail(reason.defect)
      }
      return Effect.failCause(cause as Cause.Cause<E | SqlError.SqlError>)
    }),
  )
