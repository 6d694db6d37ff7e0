/** Decodes the rows of a list that must survive a broken row: one that does not decode is logged and left out. */
import { Effect, Exit, Predicate, type Schema, SchemaIssue } from "effect"
import { decoderOf } from "./Rows.ts"
import * as Ticks from "./Ticks.ts"

/** For lists only: a single row that was asked for and does not decode is a defect (`Rows`), not an absent row. */
export const readable = <Row extends Schema.ConstraintDecoder<unknown>>(row: Row) =>
  Effect.fnUntraced(function* (rows: ReadonlyArray<unknown>): Effect.fn.Return<ReadonlyArray<Row["Type"]>> {
    const decode = decoderOf(row)
    const items: Array<Row["Type"]> = []
    const unreadable: Array<readonly [row: unknown, exit: Exit.Failure<unknown, Schema.SchemaError>]> = []
    yield* Ticks.forEach(rows, (unread) => {
      const exit = decode(unread)
      if (Exit.isSuccess(exit)) items.push(exit.value)
      else unreadable.push([unread, exit])
    })
    for (const [unread, exit] of unreadable) yield* logUnreadable(unread, exit)
    return items
  })

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Names the row and its columns, never their values, which may be a person's. */
const logUnreadable = (row: unknown, { cause }: Exit.Failure<unknown, Schema.SchemaError>) => {
  const columns = cause.reasons.flatMap((reason) =>
    reason._tag !== "Fail"
      ? []
      : issues(reason.error.issue).issues.map(({ path = [] }) =>
          path.map((key) => String(typeof key === "object" ? key.key : key)).join("."),
        ),
  )
  return Effect.logError("row that cannot be decoded left out of a list").pipe(
    Effect.annotateLogs({ columns, ...(Predicate.hasProperty(row, "id") ? { row: row.id } : {}) }),
  )
}
