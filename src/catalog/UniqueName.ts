/** Turns the violation of a table's unique name into `NameTaken`. Any other SQL failure becomes a defect. */
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
