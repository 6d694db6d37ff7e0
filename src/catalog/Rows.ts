/** Rows of a table as values of the domain. A decoder is made once a schema: made for each query it costs ten times its work. */
import { type Effect, Schema } from "effect"

type Decode<A, R> = (rows: unknown) => Effect.Effect<ReadonlyArray<A>, Schema.SchemaError, R>

const made = new WeakMap<Schema.Constraint, Decode<unknown, unknown>>()

export const decoderOf = <Row extends Schema.Constraint>(row: Row): Decode<Row["Type"], Row["DecodingServices"]> => {
  const known = made.get(row) ?? Schema.decodeUnknownEffect(Schema.Array(row))
  made.set(row, known)
  return known as Decode<Row["Type"], Row["DecodingServices"]>
}
