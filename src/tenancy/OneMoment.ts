/** Runs several reads on one snapshot: every statement sees the database as the first one found it (I15). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { transaction } from "./Transaction.ts"

export const atOneMoment = <A, E, R>(reads: Effect.Effect<A, E, R>) =>
  transaction(
    Effect.andThen(
      SqlClient.SqlClient.use((sql) => sql`set transaction isolation level repeatable read, read only`),
      reads,
    ),
  )
