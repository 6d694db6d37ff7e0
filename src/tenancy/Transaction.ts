/** The one way to run a transaction: every SQL failure inside it is a typed `SqlError`. */
import { type Cause, Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"

/**
 * Runs `effect` in a transaction, or within another transaction in a savepoint. If the connection is lost,
 * `sql.withTransaction` fails with a defect, because its ROLLBACK fails too. No `catch` or `retry` sees a defect, and
 * it would kill a dialler's fiber, so this turns it into a typed error.
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
