/**
 * Cuts a text into pieces that are spoken in one breath: a short first one, so that the agent begins to speak while the
 * rest is being generated; then whole sentences. Never cuts inside a number, an abbreviation, an initial or an address.
 * Pure.
 */

const firstSentence = 8
const firstClause = 24
const firstWords = 60
/**
 * The most characters of a later piece. Sentences are joined up to this length; a longer text without the end of a
 * sentence is cut after a clause or between words.
 */
const longest = 200

/** Abbreviations: a full stop after one of these does not end a sentence. */
const abbreviations = new Set(
  (
    "mr mrs ms dr prof st sr jr no nr vs etc approx dept est ext inc ltd co corp mt ft ave blvd rd " +
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun " +
    "e.g i.e a.m p.m u.s u.k z.b d.h u.a bzw ca str usw"
  ).split(" "),
)

/**
 * The end of a sentence or of a clause: punctuation, closing marks and the white space after them. A line break ends a
 * sentence too.
 */
const sentenceEnd = /[.!?…]+["”’)\]]*\s|[。！？]+|\n+/gu
const clauseEnd = /[,;:–—]["”’)\]]*\s/gu

const endsSentence = (text: string, at: number): boolean => {
  const before = text.slice(0, at)
  const [word = ""] = /[\p{L}\p{N}.]*$/u.exec(before) ?? []
  if (text[at] !== ".") return true
  // An initial, or the number of a list item.
  if (/^\p{Lu}$/u.test(word) || /(?:^|\n)\s*\d{1,2}$/u.test(before)) return false
  return !abbreviations.has(word.toLowerCase())
}

/** Returns the index after the white space of the first end that follows at least this many characters. */
const firstEnd = (text: string, pattern: RegExp, least: number): number | undefined => {
  for (const { 0: end, index } of text.matchAll(pattern)) {
    const behind = index + end.length
    if (behind - 1 >= least && (pattern !== sentenceEnd || endsSentence(text, index))) return behind
  }
  return undefined
}

const lastEnd = (text: string, pattern: RegExp): number | undefined => {
  let last: number | undefined
  for (const { 0: end, index } of text.matchAll(pattern)) {
    if (pattern !== sentenceEnd || endsSentence(text, index)) last = index + end.length
  }
  return last
}

const wordEdge = (text: string, limit: number): number | undefined => {
  const at = text.slice(0, limit).search(/\s\S*$/u)
  // A word of more than twice the limit is cut too: it cannot be speech.
  return at > 0 ? at + 1 : text.length > limit * 2 ? limit : undefined
}

/** The end of the next piece in the text so far; undefined if more text is needed to decide. */
export const cutAt = (text: string, isFirst: boolean): number | undefined => {
  if (isFirst) {
    const sentence = firstEnd(text, sentenceEnd, firstSentence)
    const clause = firstEnd(text, clauseEnd, firstClause)
    const early = Math.min(sentence ?? Infinity, clause ?? Infinity)
    if (early <= firstWords) return early
    return text.length > firstWords ? wordEdge(text, firstWords) : undefined
  }
  const within = text.slice(0, longest)
  return (
    lastEnd(within, sentenceEnd) ??
    (text.length > longest ? (lastEnd(within, clauseEnd) ?? wordEdge(text, longest)) : undefined)
  )
}

/** With this many characters of the text, `cutAt` finds the end of a later piece, however long the rest is. */
const decisive = longest * 2 + 1

/** The pieces of a complete text; joined by single spaces they are the text. A short first piece is not needed here. */
export const pieces = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let rest = text.trim().replaceAll(/\s+/gu, " ")
  while (rest !== "") {
    // Only the beginning is looked at: copying the rest for each piece of a megabyte took seconds.
    const at = cutAt(rest.length > decisive ? rest.slice(0, decisive) : `${rest} `, false) ?? rest.length
    found.push(rest.slice(0, at).trim())
    rest = rest.slice(at).trim()
  }
  return found
}
