/** A moment on the wire: RFC 3339, UTC, milliseconds (decisions, head). In the program and in rows it is a `Date`. */
import { Schema } from "effect"
import { inexpressible } from "./Inexpressible.ts"

const describeTimestamp = (description: string) => Schema.DateFromString.pipe(Schema.annotateEncoded({ description }))
const format = "RFC 3339 in UTC, with milliseconds."

export const Timestamp = describeTimestamp(format)

/** A timestamp with a description of its own, to which the format is added. */
export const timestamp = (description: string) => describeTimestamp(`${description} ${format}`)

export const CreatedAt = timestamp("When it was created.")
export const UpdatedAt = timestamp("When it was last changed.")

/** Whether the date exists. `Date.parse` reads 30 February as 2 March. */
export const isDate = (date: string): boolean => {
  const parsed = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date)
}

/** Whether RFC 3339 can write the moment in UTC too: an offset may lead out of the years 0 to 9999. */
const isMoment = (text: string): boolean => {
  const parsed = new Date(text)
  return !Number.isNaN(parsed.getTime()) && /^\d{4}-/u.test(parsed.toISOString())
}

/** A timestamp as a client may write it: RFC 3339 with any offset. A date without a time or an offset is refused. */
export const TimestampInput = Schema.String.check(
  Schema.isPattern(
    /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/u,
    { message: "must be an RFC 3339 timestamp, such as 2026-11-21T10:00:00Z" },
    // A text in another form has no date to judge.
  ).abort(),
  Schema.makeFilter(
    (text) => (isDate(text.slice(0, 10)) && isMoment(text)) || "must be a date and time that exist",
    inexpressible,
  ),
).annotate({ description: "RFC 3339 with a UTC offset." })

/** The moment that a client wrote; null if it wrote none. */
export const momentOf = (text: string | null | undefined): Date | null =>
  typeof text === "string" ? new Date(text) : null

/** A field with the moment that a client wrote, or no field. */
export const momentAs = <Name extends string>(name: Name, text: string | undefined) =>
  (text === undefined ? {} : { [name]: new Date(text) }) as { readonly [Key in Name]?: Date }
