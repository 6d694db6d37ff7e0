/** What the `search` of a list looks for: words that a row must all contain, or a phone number in any notation. */
import { asTyped } from "./NumberText.ts"

export interface SearchTerms {
  /** Each word must occur in the row, in upper or lower case. Empty if only spaces were typed. */
  readonly words: ReadonlyArray<string>
  /** The digits of a phone number, after a `+` if one was typed. Undefined if the text is not a number. */
  readonly digits: string | undefined
}

/** A LIKE pattern for rows that contain the text. Wildcards in it are escaped, since what people type has none. */
export const toLikePattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`

/** Digits and the usual separators between them. A single digit is searched for as a word. */
const written = /^\+?[\d\s().\-/]{2,}$/u

/**
 * `+1 212 357 8200`, `(212) 357-8200`, `00 49 30 901820` and `+44 (0)20 7946 0000` are searched for by their digits, as
 * numbers are stored. A national number begins with a zero that the stored one lacks.
 */
const digitsOf = (text: string): string | undefined => {
  const plain = asTyped(text)
  if (!written.test(plain)) return undefined
  const digits = plain.replace("(0)", "").replaceAll(/\D/g, "")
  if (plain.startsWith("+")) return `+${digits}`
  const known = digits.startsWith("00") ? digits.slice(2) : digits.replace(/^0/, "")
  return known === "" ? undefined : known
}

export const searchTerms = (search: string): SearchTerms => {
  const text = search.trim()
  const digits = digitsOf(text)
  // A date or a postcode looks like a number too, so the text is also searched for as it was typed, not by its parts.
  const words = digits === undefined ? text.split(/\s+/u) : [text]
  return { words: words.filter((word) => word !== ""), digits }
}
