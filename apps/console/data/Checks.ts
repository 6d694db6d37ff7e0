/** Checks a form with the router's schema. The problems by field, in the server's words. */
import type { z } from "zod"
import { faultsOf, sentence } from "../../../src/rpc/inputs/Sentences.ts"

export type FieldProblems = Readonly<Record<string, string>>

/** By the field's name. Nested fields are written with slashes, like the server's pointers. */
export const findProblems = (schema: z.ZodType, value: unknown): FieldProblems => {
  const { error } = schema.safeParse(value, { error: sentence })
  if (error === undefined) return {}
  return Object.fromEntries(faultsOf(error).map(({ detail, pointer }) => [pointer.replace(/^\//, ""), detail]))
}

/** "Must not be empty." */
export const capitalize = (problem: string): string => `${problem.charAt(0).toUpperCase()}${problem.slice(1)}`

/** The sentence below a field: the problem at the first of these places that has one. */
export const problemAt = (problems: FieldProblems, ...places: ReadonlyArray<string>): string | undefined => {
  const problem = places.map((place) => problems[place]).find((found) => found !== undefined)
  return problem === undefined ? undefined : capitalize(problem)
}

/** The first problem at a place or at one of its parts: "origins", "origins/0". */
export const problemWithin = (problems: FieldProblems, place: string): string | undefined =>
  problemAt(problems, ...Object.keys(problems).filter((one) => one === place || one.startsWith(`${place}/`)))

/** "2 fields need a change." */
export const sum = (problems: FieldProblems): string => {
  const count = Object.keys(problems).length
  return count === 1 ? "1 field needs a change." : `${count} fields need a change.`
}
