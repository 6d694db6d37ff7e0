/**
 * The fields of a form. A dialog sends them as a whole. A page that keeps changes until they are saved uses a Draft.
 */
import { useState } from "react"
import type { FieldProblems } from "./Checks.ts"

export interface Fields<T extends object> {
  readonly value: T
  readonly set: <Field extends keyof T & string>(field: Field, value: T[Field]) => void
}

/** The state that the parts of a form share. */
export interface Form<T extends object> {
  readonly draft: Fields<T>
  /** Problems by field: those of the schema, then those of the server. */
  readonly problems: FieldProblems
  readonly mayChange: boolean
}

export const useFields = <T extends object>(initial: T | (() => T)): Fields<T> => {
  const [value, setValue] = useState(initial)
  return { value, set: (field, typed) => setValue((before) => ({ ...before, [field]: typed })) }
}
