/**
 * Which characters a text must not have that a list shows in one line. An invisible one makes a name look like another
 * one, or turns the text beside it around. Free of imports, so that forms share it.
 */

/**
 * Controls, separators of lines, marks of annotations, and everything that has no shape of its own: overrides of
 * direction, zero-width spaces, fillers, tags. Kept are those that real names need: the joiners (Persian, emoji), what
 * chooses the variant of a letter or an emoji, the Mongolian vowel separator and the grapheme joiner.
 */
const invisible =
  /[\p{Cc}\u2028\u2029\ufff9-\ufffb]|(?![\u034f\u180e\u200c\u200d\p{Variation_Selector}])\p{Default_Ignorable_Code_Point}/u

/** The flags of England, Scotland and Wales: a black flag, the region in tags, and their end. */
const flags =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu

export const isVisible = (text: string): boolean => !invisible.test(text.replaceAll(flags, ""))

export const visibleRule = "must not have control characters or invisible ones"
