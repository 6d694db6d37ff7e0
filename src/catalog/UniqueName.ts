/** A write that a unique name of the table refuses becomes `NameTaken`; any other trouble with SQL is not an answer. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { NameTaken } from "../domain/Refusals.ts"

export const refuseTaken =
  (resource: string, name: string) =>
  <A, R>(self: Effect.Effect<A, SqlError.SqlError, R>) =>
    self.pipe(
      Effect.catchReason("SqlError", "UniqueViolation", () => new NameTaken({ resource, name })),
      Effect.catchTag("SqlError", Effect.die),
    )
