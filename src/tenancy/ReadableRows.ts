/** The rows of a list as values of the domain. A row that does not decode is logged and left out: it never fails its list. */
import { Effect, Exit, Predicate, Schema, SchemaIssue } from "effect"

interface Decoders<A> {
  readonly all: (rows: unknown) => Exit.Exit<ReadonlyArray<A>, Schema.SchemaError>
  readonly one: (row: unknown) => Exit.Exit<A, Schema.SchemaError>
}

const made = new WeakMap<Schema.Constraint, Decoders<unknown>>()

/** Decoders are made once a schema: made for each query they cost ten times their work. */
const decodersOf = <Row extends Schema.ConstraintDecoder<unknown>>(row: Row): Decoders<Row["Type"]> => {
  const known = made.get(row) ?? {
    all: Schema.decodeUnknownExit(Schema.Array(row)),
    one: Schema.decodeUnknownExit(row),
  }
  made.set(row, known)
  return known as Decoders<Row["Type"]>
}

/** For lists alone. A single row that was asked for and cannot be read is an error of ours, not an absent row. */
export const readable = <Row extends Schema.ConstraintDecoder<unknown>>(row: Row) =>
  Effect.fnUntraced(function* (rows: ReadonlyArray<unknown>): Effect.fn.Return<ReadonlyArray<Row["Type"]>> {
    const { all, one } = decodersOf(row)
    const whole = all(rows)
    if (Exit.isSuccess(whole)) return whole.value
    const items: Array<Row["Type"]> = []
    for (const unread of rows) {
      const exit = one(unread)
      if (Exit.isSuccess(exit)) items.push(exit.value)
      else yield* logUnreadable(unread, exit)
    }
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
  return Effect.logError("unreadable row left out of a list").pipe(
    Effect.annotateLogs({ columns, ...(Predicate.hasProperty(row, "id") ? { row: row.id } : {}) }),
  )
}
