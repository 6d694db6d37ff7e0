/** The one way to run a transaction: every SQL failure inside it is a typed `SqlError`. */
import { type Cause, Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"

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
