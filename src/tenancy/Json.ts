/** A value for a `jsonb` column, wherever a statement takes a parameter; `null` is SQL's null. */
import { PgTypes } from "@effect/sql-pg"

export const json = (value: unknown) => (value === null || value === undefined ? null : PgTypes.jsonb(value))

/** A value for a `json` column, which keeps the order in which its keys were written. */
export const orderedJson = (value: unknown) => (value === null || value === undefined ? null : PgTypes.json(value))
