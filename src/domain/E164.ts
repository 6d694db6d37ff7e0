/** A telephone number as the network knows it: `+`, country code, subscriber, digits alone (ITU-T E.164). */
import { Schema } from "effect"

/**
 * Syntax only, and strictly ASCII: number libraries also accept what looks like a number (a `=` before it, invisible
 * characters after it), and such a text must never become a key of the do-not-call list.
 */
const form = /^\+[1-9][0-9]{6,14}$/u

export const E164 = Schema.String.check(
  Schema.isPattern(form, { message: "must be an E.164 number: + and 7 to 15 digits, such as +14155550132" }),
).pipe(Schema.brand("E164"))
export type E164 = typeof E164.Type

export const isE164 = (text: string): text is E164 => form.test(text)
