/**
 * Recognises phrases in what a person said, in any script. A phrase is a sequence of words. `a|b` is either word, `(a
 * b)|c` or `(a b|c)` an alternative of several words, `a?` a word that may be missing, `*` up to eight words of any
 * kind, and `$` the end of the sentence. Case, punctuation, apostrophes, hyphens and accents do not count. Pure.
 */
import type { Phrases } from "./Language.ts"

/** The words of a text, each followed by a space, and a space before the first; an empty text is one space. */
const normalise = (text: string): string => {
  const plain = text
    .toLowerCase()
    .normalize("NFD")
    // Accents of Latin letters only: in other scripts these marks are vowels.
    .replaceAll(/[\u0300-\u036f]/gu, "")
    .normalize("NFC")
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

/** The pattern of `*`. It is bounded, so that a match takes time in proportion to the text. */
const gap = "(?:[^ ]+ ){0,8}?"

const patternOf = (phrase: string): string =>
  (phrase.match(/(?:[^\s()]|\([^)]*\))+/gu) ?? [])
    .map((token) => {
      if (token === "*") return gap
      if (token === "$") return "$"
      const isOptional = token.endsWith("?")
      const words = token.replace(/\?$/u, "").replaceAll(/[()]/gu, "").split("|")
      const orEnd = words.includes("$") ? "|$" : ""
      const plain = words.filter((word) => word !== "$").map((word) => normalise(word).trim())
      return `(?:(?:${plain.join("|")}) ${orEnd})${isOptional ? "?" : ""}`
    })
    .join("")

/** Returns a function that finds the first of the phrases in a sentence of `sentencesIn`. */
export const makeFinder = (phrases: Phrases): ((sentence: string) => RegExpExecArray | null) => {
  if (phrases.length === 0) return () => null
  const pattern = new RegExp(` (?:${phrases.map(patternOf).join("|")})`, "u")
  return (sentence) => pattern.exec(sentence)
}

/** Returns a function that tells whether one of the phrases occurs in a text. */
export const makeRecogniser = (phrases: Phrases): ((text: string) => boolean) => {
  const find = makeFinder(phrases)
  return (text) => sentencesIn(text).some((sentence) => find(sentence) !== null)
}

/** Returns a function that tells whether a text is nothing but these phrases, one after another. */
export const makeExactRecogniser = (phrases: Phrases): ((text: string) => boolean) => {
  const pattern = new RegExp(`^ (?:${phrases.map(patternOf).join("|")})+$`, "u")
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
