/** The sentences about values that do not fit, as on the REST surface; forms show the same. */
import type { z } from "zod"

/** For `safeParse`: `schema.safeParse(value, { error: sentence })`. A schema's own sentence takes precedence. */
export const sentence: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "unrecognized_keys":
      return "is not a known field"
    case "invalid_value":
      return `must be ${list(issue.values.map((value) => JSON.stringify(value)))}`
    case "too_small":
      return `must have a length of at least ${issue.minimum}`
    case "too_big":
      return `must have a length of at most ${issue.maximum}`
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${words[issue.expected] ?? issue.expected}`
    default:
      return undefined
  }
}

const words: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  int: "an integer",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a string",
}

const list = (values: ReadonlyArray<string>): string =>
  values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`

/** A fault and where it is, as a JSON pointer. */
export interface Fault {
  readonly pointer: string
  readonly detail: string
}

/** Every fault of a value; none when it fits. */
export const faultsOf = (error: z.ZodError): ReadonlyArray<Fault> =>
  error.issues.flatMap((issue) =>
    (issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path]).map((path) => ({
      pointer: path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""),
      detail: issue.message,
    })),
  )
