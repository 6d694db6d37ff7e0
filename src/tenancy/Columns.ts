/** Passes one column of many rows as one parameter for `unnest`: PostgreSQL reads it ten times as fast as JSON. */
import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

const columnOf =
  <A>(elements: number) =>
  (values: ReadonlyArray<A | null>) =>
    Result.getOrThrow(PgTypes.array(values, elements))

export const uuids = columnOf<string>(PgTypes.OID.uuid)
export const texts = columnOf<string>(PgTypes.OID.text)
export const integers = columnOf<number>(PgTypes.OID.int4)
export const booleans = columnOf<boolean>(PgTypes.OID.bool)
export const timestamps = columnOf<Date>(PgTypes.OID.timestamptz)
export const jsons = columnOf<unknown>(PgTypes.OID.jsonb)
