/** What is said of a value that does not fit, in the words of the REST surface; forms show the same. */
import type { z } from "zod"

/** For `safeParse`: `schema.safeParse(value, { error: sentence })`. A sentence that the schema has of its own goes first. */
export const sentence: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "unrecognized_keys":
      return "is not a known field"
    case "invalid_value":
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" | ")}`
    case "too_small":
      return `must be a value with a length of at least ${issue.minimum}`
    case "too_big":
      return `must be a value with a length of at most ${issue.maximum}`
    case "invalid_type":
      if (issue.input === undefined) return "is required"
      return issue.expected === "int" ? "must be an integer" : `must be ${words[issue.expected] ?? issue.expected}`
    default:
      return undefined
  }
}

const words: Readonly<Record<string, string>> = { record: "object" }

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
