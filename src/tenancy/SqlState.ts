/** Reads the SQLSTATE of an error, PostgreSQL's own code such as `3D000`: the database does not exist. */
import { Predicate } from "effect"
import { SqlError } from "effect/sql"

/** Undefined if the error does not come from the server. */
export const sqlState = (error: unknown): string | undefined => {
  const cause = SqlError.isSqlError(error) ? error.reason.cause : undefined
  return Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : undefined
}
