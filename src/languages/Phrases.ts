/**
 * Recognises phrases in what a person said, in any script. A phrase is a sequence of words. `a|b` is either word, `(a
 * b)|c` or `(a b|c)` an alternative of several words, `a?` a word that may be missing, `*` up to eight words of any
 * kind and `*2` up to two, `$` the end of the sentence, `call-` a word that begins so, `-list` a word that ends so, and
 * `{name}` any of the words of that part. Case, punctuation, apostrophes, hyphens and accents do not count. Pure.
 */
import type { Parts, Phrases } from "./Language.ts"

/** Letters and signs that recognisers write in two ways, and that are no letter with an accent. */
const spellings: Readonly<Record<string, string>> = { ı: "i", ł: "l", ø: "o", æ: "ae", ß: "ss", "\u0901": "\u0902" }

/** The words of a text, each followed by a space, and a space before the first; an empty text is one space. */
const normalise = (text: string): string => {
  const plain = text
    .toLowerCase()
    .normalize("NFD")
    // Accents of Latin letters and the dot of Devanagari: other marks of other scripts are vowels.
    .replaceAll(/[\u0300-\u036f\u093c]/gu, "")
    .normalize("NFC")
    .replaceAll(/[ıłøæß\u0901]/gu, (letter) => spellings[letter] ?? letter)
    .replaceAll(/['’ʼ`]/gu, "")
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim()
  return plain === "" ? " " : ` ${plain} `
}

/**
 * The sentences of a text, normalised. They are matched one by one, so that no phrase begins in one and ends in the
 * next.
 */
export const sentencesIn = (text: string): ReadonlyArray<string> =>
  text
    .split(/[.!?…;:。！？।؟]+/u)
    .map(normalise)
    .filter((sentence) => sentence !== " ")

/** The pattern of `*`. It is bounded, as all patterns are, so that a match takes time in proportion to the text. */
const gapOf = (words: string): string => `(?:[^ ]+ ){0,${words === "" ? 8 : words}}?`

/** The rest of a word of which a phrase has the beginning or the end. */
const rest = "[^ ]{0,20}"

const patternOfWord = (word: string): string => {
  const plain = normalise(word).trim()
  return `${word.startsWith("-") ? rest : ""}${plain}${word.endsWith("-") ? rest : ""}`
}

/** The tokens of a phrase: words, gaps and ends. */
const tokensOf = (phrase: string, parts: Parts): ReadonlyArray<string> =>
  fill(phrase, parts).match(/(?:[^\s()]|\([^)]*\))+/gu) ?? []

const wordsOf = (token: string): ReadonlyArray<string> => token.replace(/\?$/u, "").replaceAll(/[()]/gu, "").split("|")

const isOptional = (token: string): boolean => token.endsWith("?")

const patternOf = (phrase: string, parts: Parts): string =>
  tokensOf(phrase, parts)
    .map((token) => {
      if (token.startsWith("*")) return gapOf(token.slice(1))
      if (token === "$") return "$"
      const words = wordsOf(token)
      const orEnd = words.includes("$") ? "|$" : ""
      const plain = words.filter((word) => word !== "$").map(patternOfWord)
      return `(?:(?:${plain.join("|")}) ${orEnd})${isOptional(token) ? "?" : ""}`
    })
    .join("")

/**
 * Replaces `{name}` by the words of that part: alone it is in parentheses, and within parentheses it is further
 * alternatives. A name that is no part is a mistake in the data.
 */
const fill = (phrase: string, parts: Parts): string => {
  const part = (name: string) => {
    const words = parts[name]
    if (words === undefined) throw new Error(`A phrase names the part ${name}, which its language does not have`)
    return words
  }
  return phrase
    .replaceAll(/\([^)]*\)/gu, (group) => group.replaceAll(/\{(\w+)\}/gu, (_, name: string) => part(name)))
    .replaceAll(/\{(\w+)\}/gu, (_, name: string) => `(${part(name)})`)
}

const alternatives = (phrases: Phrases, parts: Parts): string =>
  `(?:${phrases.map((phrase) => patternOf(phrase, parts)).join("|")})`

/** Returns a function that finds the first of the phrases in a sentence of `sentencesIn`. */
export const makeFinder = (phrases: Phrases, parts: Parts = {}): ((sentence: string) => RegExpExecArray | null) => {
  if (phrases.length === 0) return () => null
  const pattern = new RegExp(` ${alternatives(phrases, parts)}`, "u")
  return (sentence) => pattern.exec(sentence)
}

const memoise = <A>(compute: (key: string) => A): ((key: string) => A) => {
  const known = new Map<string, A>()
  return (key) => {
    const value = known.get(key) ?? compute(key)
    known.set(key, value)
    return value
  }
}

/** Whether a sentence must have a word of a token: it is no gap, no end, and not optional. */
const isRequired = (token: string): boolean =>
  !isOptional(token) && !token.startsWith("*") && !wordsOf(token).includes("$")

/** The pattern of the first word of each alternative of a token. */
const beginningsOf = (token: string): ReadonlyArray<string> =>
  wordsOf(token).map((words) => patternOfWord(words.split(" ", 1)[0] ?? ""))

const isPartOfWord = (pattern: string): boolean => pattern.includes("[")

/** Returns a function that tells whether one of the words can begin an alternative of a token. */
const makeFilter = (token: string): ((words: ReadonlyArray<string>) => boolean) => {
  const beginnings = beginningsOf(token)
  const whole = new Set(beginnings)
  const parts = beginnings.filter(isPartOfWord)
  const pattern = parts.length === 0 ? null : new RegExp(`^(?:${parts.join("|")})$`, "u")
  return (words) => words.some((word) => whole.has(word) || pattern?.test(word) === true)
}

/** The words with which a phrase can begin, or null if a gap, the end or a part of a word begins it. */
const wordsThatBegin = (tokens: ReadonlyArray<string>): ReadonlyArray<string> | null => {
  const required = tokens.findIndex((token) => !isOptional(token))
  const words = tokens.slice(0, required + 1).flatMap(beginningsOf)
  return words.some((word) => /[*$[]/u.test(word) || word === "") ? null : words
}

/**
 * Returns a function that finds the patterns of those phrases of which a sentence has a word of each token. Each is
 * compiled when it is first needed: all at once, they would hold the event loop for a second.
 */
export const makeSelector = (
  phrases: Phrases,
  parts: Parts,
): ((words: ReadonlySet<string>) => ReadonlyArray<RegExp>) => {
  const compile = memoise((phrase: string) => new RegExp(` ${patternOf(phrase, parts)}`, "u"))
  const filterOf = memoise(makeFilter)
  const requiredOf = memoise((phrase: string) => tokensOf(phrase, parts).filter(isRequired).map(filterOf))
  const beginnings = phrases.map((phrase) => ({ phrase, words: wordsThatBegin(tokensOf(phrase, parts)) }))
  const anywhere = beginnings.flatMap(({ phrase, words }) => (words === null ? [phrase] : []))
  const byWord = Map.groupBy(
    beginnings.flatMap(({ phrase, words }) => (words ?? []).map((word) => ({ phrase, word }))),
    ({ word }) => word,
  )
  return (words) => {
    const all = [...words]
    const found = all.flatMap((word) => (byWord.get(word) ?? []).map(({ phrase }) => phrase))
    return [...new Set([...anywhere, ...found])]
      .filter((phrase) => requiredOf(phrase).every((hasWord) => hasWord(all)))
      .map(compile)
  }
}

/** Returns a function that tells whether one of the phrases occurs in a text. */
export const makeRecogniser = (phrases: Phrases): ((text: string) => boolean) => {
  const find = makeFinder(phrases)
  return (text) => sentencesIn(text).some((sentence) => find(sentence) !== null)
}

/** Returns a function that tells whether a text is nothing but these phrases, one after another. */
export const makeExactRecogniser = (phrases: Phrases): ((text: string) => boolean) => {
  const pattern = new RegExp(`^ ${alternatives(phrases, {})}+$`, "u")
  return (text) => {
    const sentences = sentencesIn(text)
    return sentences.length > 0 && sentences.every((sentence) => pattern.test(sentence))
  }
}

export const countWords = (text: string): number =>
  sentencesIn(text).reduce((sum, sentence) => sum + sentence.trim().split(" ").length, 0)

/**
 * The share of common words above which two texts are alike. Recognisers write the same words a little differently each
 * time.
 */
const leastShared = 0.8

/** Whether two texts have most of their words in common. */
export const areAlike = (one: string, other: string): boolean => {
  const wordsIn = (text: string) => new Set(normalise(text).trim().split(" "))
  const [words, others] = [wordsIn(one), wordsIn(other)]
  const shared = [...words].filter((word) => others.has(word)).length
  return shared >= leastShared * (words.size + others.size - shared)
}
