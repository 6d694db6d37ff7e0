/**
 * Converts telephone numbers as people write them to E.164 (decisions §2, CSV). The only module that uses
 * libphonenumber-js.
 */
import { isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js/max"
import { type E164, isE164 } from "../../domain/E164.ts"
import { asTyped } from "../../domain/NumberText.ts"

/** The characters of a written number. The library accepts more than should be dialled, such as `=+1…`. */
const written = /^\+?[0-9(][0-9 ().\-/]*$/
const separators = /[ ().\-/]+/g

/** +1 555 01xx, without an area code: digits that are reserved for examples, and too short to be possible. */
const forExamples = /^\+155501[0-9]{2}$/
const forExamplesInside = /^1?55501[0-9]{2}$/

/**
 * A verdict holds for every number with the same beginning and length, because the library decides by these two alone.
 * `other`: the library reads the text as a different number.
 */
type Verdict = "possible" | "impossible" | "other"
const known = new Map<number, Verdict>()
const knownAtMost = 20_000

export const isCountry = (code: string): boolean => isSupportedCountry(code)

/** A number in national form can be read only if its country is known. */
export const isNational = (text: string): boolean => !asTyped(text).startsWith("+")

/** Returns the number in E.164; undefined if it is not possible. A possible number need not be assigned. */
export const normalise = (text: string, country: string | undefined): E164 | undefined => {
  const trimmed = asTyped(text)
  if (isE164(trimmed)) {
    const verdict = verdictOn(trimmed)
    if (verdict !== "other") return verdict === "possible" ? trimmed : undefined
  }
  if (!written.test(trimmed)) return undefined
  if (!isNational(trimmed)) return possible(trimmed.replaceAll(separators, ""))
  return country === undefined || !isSupportedCountry(country) ? undefined : national(trimmed, country)
}

type Country = Parameters<typeof parsePhoneNumberFromString>[1]
/** Country, length and beginning of national numbers that are not possible. */
const impossible = new Set<string>()

const national = (text: string, country: Country): E164 | undefined => {
  const digits = text.replaceAll(separators, "")
  const beginning = `${String(country)}${digits.length}:${digits.slice(0, -4)}`
  if (impossible.has(beginning) && !forExamplesInside.test(digits)) return undefined
  const number = possible(text, country)
  if (number === undefined) {
    if (impossible.size >= knownAtMost) impossible.clear()
    impossible.add(beginning)
  }
  return number
}

const possible = (text: string, country?: Country): E164 | undefined => {
  const parsed = parsePhoneNumberFromString(text, country)
  if (parsed === undefined || parsed.ext !== undefined) return undefined
  const { number } = parsed
  return isE164(number) && (parsed.isPossible() || forExamples.test(number)) ? number : undefined
}

/**
 * The verdict on a number, cached by its beginning and length. A hundred thousand numbers of a list share few
 * beginnings: parsing each would take two thirds of an import's time.
 */
const verdictOn = (number: E164): Verdict => {
  if (forExamples.test(number)) return "possible"
  // The key is a JavaScript number, which holds 15 digits exactly: a string for each row of a list would cost memory.
  const beginning = Math.floor(Number(number) / 10_000) * 16 + number.length
  const before = known.get(beginning)
  if (before !== undefined) return before
  const read = possible(number)
  const verdict = read === number ? "possible" : read === undefined ? "impossible" : "other"
  if (known.size >= knownAtMost) known.clear()
  known.set(beginning, verdict)
  return verdict
}
