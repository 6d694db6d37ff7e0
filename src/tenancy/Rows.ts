/**
 * Runs a statement and decodes its rows. A row that does not decode is a bug of ours, so it is a defect; the
 * statement's own errors stay typed. A list that must survive one broken row decodes with `ReadableRows` instead.
 */
import { Effect, Exit, Schema } from "effect"

/** What every function here takes: a statement, or an effect that runs one. */
type Run<E, R> = Effect.Effect<ReadonlyArray<unknown>, E, R>

type Decode<A> = (row: unknown) => Exit.Exit<A, Schema.SchemaError>

const compiled = new WeakMap<Schema.Constraint, Decode<unknown>>()

/**
 * The decoder of a schema, compiled on first use: compiling it for each query takes ten times as long as decoding a
 * row. The schema has to be a constant of its module, or it is compiled each time after all.
 */
export const decoderOf = <Row extends Schema.ConstraintDecoder<unknown>>(row: Row): Decode<Row["Type"]> => {
  const decode = compiled.get(row) ?? Schema.decodeUnknownExit(row)
  compiled.set(row, decode)
  return decode as Decode<Row["Type"]>
}

/** All rows, in the statement's order. */
export const all =
  <Row extends Schema.ConstraintDecoder<unknown>>(row: Row) =>
  <E, R>(run: Run<E, R>): Effect.Effect<Array<Row["Type"]>, E, R> =>
    Effect.flatMap(run, (rows) => {
      const decode = decoderOf(row)
      const items: Array<Row["Type"]> = []
      for (const found of rows) {
        const exit = decode(found)
        if (Exit.isFailure(exit)) return Effect.orDie(Exit.failCause(exit.cause))
        items.push(exit.value)
      }
      return Effect.succeed(items)
    })

/** The first row; `undefined` when there is none. */
export const first =
  <Row extends Schema.ConstraintDecoder<unknown>>(row: Row) =>
  <E, R>(run: Run<E, R>): Effect.Effect<Row["Type"] | undefined, E, R> =>
    Effect.flatMap(run, ([found]) => (found === undefined ? Effect.undefined : Effect.orDie(decoderOf(row)(found))))

/** The row of a statement that always gives one, such as a count or an `insert … returning`. No row is a defect. */
export const one =
  <Row extends Schema.ConstraintDecoder<unknown>>(row: Row) =>
  <E, R>(run: Run<E, R>): Effect.Effect<Row["Type"], E, R> =>
    Effect.flatMap(run, ([found]) =>
      found === undefined
        ? Effect.die(new Error("A statement that always gives a row gave none"))
        : Effect.orDie(decoderOf(row)(found)),
    )
