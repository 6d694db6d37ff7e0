/** Returns a statement's parameter for a `jsonb` column; `null` becomes SQL's null. */
import { PgTypes } from "@effect/sql-pg"

export const json = (value: unknown) => (value === null || value === undefined ? null : PgTypes.jsonb(value))

/** The same for a `json` column, which keeps the order of its keys. */
export const orderedJson = (value: unknown) => (value === null || value === undefined ? null : PgTypes.json(value))
