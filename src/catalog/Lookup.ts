/**
 * Finds one row of a named table by id or by name (decisions §1), or refuses with a sentence that says what is missing.
 */
import { Effect, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { isUuid } from "../domain/Name.ts"
import { NotFound } from "../domain/Refusals.ts"
import * as Rows from "../tenancy/Rows.ts"

/** What the transaction will do with the row: change or delete it, add to it, or refer to it. */
export type Lock = "for update" | "for no key update" | "for key share"

export const lookUp = Effect.fnUntraced(function* <Row extends Schema.ConstraintDecoder<unknown>>(
  what: { readonly row: Row; readonly table: string; readonly resource: string },
  idOrName: string,
  lock?: Lock,
) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* Rows.first(what.row)(sql`
    select * from ${sql(what.table)}
    where ${isUuid(idOrName) ? sql`id = ${idOrName}` : sql`name = ${idOrName}`} ${sql.literal(lock ?? "")}`).pipe(
    Effect.orDie,
  )
  return found ?? (yield* new NotFound({ resource: what.resource, id: idOrName }))
})
