/** Converts a phone number as people write it into plain text. Free of imports: forms in a browser use it too. */

/** Marks that cannot be seen: soft hyphens, zero-width characters, and marks of the direction of writing. */
const invisible = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g
const dashes = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g
/** Full-width characters have the order of ASCII, shifted by `fullWidthOffset`. */
const fullWidth = /[\uff08\uff09\uff0b\uff0e\uff0f\uff10-\uff19]/g
const fullWidthOffset = 0xfee0
const isTyped = /^[\x21-\x7e]*$/

/**
 * A number as a keyboard would type it: text copied from a page, a letter or a spreadsheet has no-break spaces,
 * invisible marks, long dashes and full-width digits. Every number that a person enters passes through here.
 */
export const asTyped = (text: string): string =>
  isTyped.test(text)
    ? text
    : text
        .replaceAll(invisible, "")
        .replaceAll(/\s/g, " ")
        .replaceAll(dashes, "-")
        .replaceAll(fullWidth, (character) => String.fromCharCode(character.charCodeAt(0) - fullWidthOffset))
        .trim()

const separators = /[ ().\-/]+/g
/** Characters that may separate the digits of an international number. */
const international = /^\+[0-9 ().\-/]+$/

/** The E.164 number that a person wrote with spaces, brackets, dots, hyphens or slashes; any other text unchanged. */
export const toE164 = (text: string): string => {
  const typed = asTyped(text)
  return international.test(typed) ? typed.replaceAll(separators, "") : typed
}
