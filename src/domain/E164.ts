/** A telephone number as the network knows it: `+`, country code, subscriber, digits alone (ITU-T E.164). */
import { Schema, SchemaGetter } from "effect"
import { toE164 } from "./NumberText.ts"

/**
 * Syntax only, strictly ASCII. Number libraries also accept look-alikes (a `=` in front, invisible characters after
 * it), and such a text must never become a key of the do-not-call list.
 */
const form = /^\+[1-9][0-9]{6,14}$/u

export const E164 = Schema.String.check(
  Schema.isPattern(form, { message: "must be an E.164 number: + and 7 to 15 digits, such as +14155550132" }),
).pipe(Schema.brand("E164"))
export type E164 = typeof E164.Type

export const isE164 = (text: string): text is E164 => form.test(text)

/** A phone number as a client may write it: E.164, with or without spaces and punctuation between the digits. */
export const e164Input = (description: string) =>
  Schema.String.annotate({
    description: `${description} In E.164 form; spaces and punctuation are removed.`,
  }).pipe(Schema.decodeTo(E164, { decode: SchemaGetter.transform(toE164), encode: SchemaGetter.String() }))
