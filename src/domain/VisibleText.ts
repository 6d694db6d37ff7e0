/**
 * The characters that a one-line text must not contain. An invisible character makes a name look like another, or
 * reverses the text next to it. This file has no imports, so that forms can use it.
 */

/**
 * Controls, line separators, annotation marks, and everything without a shape: direction overrides, zero-width spaces,
 * fillers, tags. Characters that real names need are kept: the joiners (Persian, emoji), variation selectors, the
 * Mongolian vowel separator and the grapheme joiner.
 */
const invisible =
  /[\p{Cc}\u2028\u2029\ufff9-\ufffb]|(?![\u034f\u180e\u200c\u200d\p{Variation_Selector}])\p{Default_Ignorable_Code_Point}/u

/** The flags of England, Scotland and Wales: a black flag, the region in tags, and their end. */
const flags =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu

export const isVisible = (text: string): boolean => !invisible.test(text.replaceAll(flags, ""))

export const visibleRule = "must not contain control characters or invisible characters"
