/** What the schemas that the router takes say of a form, field by field, in the server's words. */
import type { z } from "zod"
import { faultsOf, sentence } from "../../../src/rpc/inputs/Sentences.ts"

export type FieldProblems = Readonly<Record<string, string>>

/** By the field's name; of nested ones with slashes, as the server's pointers. */
export const checked = (schema: z.ZodType, value: unknown): FieldProblems => {
  const { error } = schema.safeParse(value, { error: sentence })
  if (error === undefined) return {}
  return Object.fromEntries(faultsOf(error).map(({ detail, pointer }) => [pointer.replace(/^\//, ""), detail]))
}

/** "Must not be empty." */
export const said = (problem: string | undefined): string | undefined =>
  problem === undefined ? undefined : `${problem.charAt(0).toUpperCase()}${problem.slice(1)}`

/** "2 fields need a change." */
export const sum = (problems: FieldProblems): string => {
  const count = Object.keys(problems).length
  return count === 1 ? "1 field needs a change." : `${count} fields need a change.`
}
