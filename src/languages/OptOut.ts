/**
 * Whether a person asks never to be called again. Recognised by phrases of all languages, whatever the agent speaks, so
 * that it does not depend on a model. Pure.
 */
import { languages } from "./Languages.ts"
import { makeFinder, makeSelector, sentencesIn } from "./Phrases.ts"

const recognisers = languages.map(({ optOuts: { lookalikes, parts, phrases, times, unlessTimed } }) => ({
  lookalikes: makeSelector(lookalikes, parts),
  always: makeSelector(phrases, parts),
  unlessTimed: makeSelector(unlessTimed, parts),
  hasTime: makeFinder(times, parts),
}))

/**
 * The characters that are searched at the end of a text: more than six minutes of speech. A sentence takes up to 45 µs,
 * so that 850 short ones take 40 ms.
 */
const searchedLength = 6_000

const searchedSentences = (text: string): ReadonlyArray<string> => [
  ...new Set(sentencesIn(text.slice(-searchedLength))),
]

/** The number of words before and after a wish in which a time belongs to it. */
const nearWords = 2

const around = (sentence: string, { 0: { length }, index }: RegExpExecArray): ReadonlyArray<string> => {
  const before = sentence.slice(0, index).trim().split(" ").slice(-nearWords)
  const after = sentence
    .slice(index + length)
    .trim()
    .split(" ")
    .slice(0, nearWords)
  return [before, after].map((words) => ` ${words.join(" ")} `)
}

/** Stands for words that are not known, or that are a look-alike. No phrase has it. */
const unknownWord = "· "

/** Removes every occurrence of the patterns from a sentence. */
const without = (patterns: ReadonlyArray<RegExp>, sentence: string): string =>
  patterns.reduce(
    (rest, pattern) => (pattern.test(rest) ? rest.replaceAll(new RegExp(pattern, "gu"), ` ${unknownWord}`) : rest),
    sentence,
  )

/** What may be a wish in a sentence, in each language: the sentence without look-alikes, and the patterns. */
const candidatesIn = (sentence: string) => {
  const words = new Set(sentence.split(" "))
  return recognisers.flatMap(({ always, hasTime, lookalikes, unlessTimed }) => {
    const [wishes, timed] = [always(words), unlessTimed(words)]
    if (wishes.length + timed.length === 0) return []
    return [{ sentence: without(lookalikes(words), sentence), wishes, timed, hasTime }]
  })
}

/** Whether the text is such a wish whatever is said after it. "Don't call me." may go on with "before noon". */
export const wantsNoCallsWhateverFollows = (text: string): boolean =>
  searchedSentences(text)
    .flatMap(candidatesIn)
    .some(({ sentence, wishes }) => wishes.some((pattern) => pattern.test(sentence + unknownWord)))

export const wantsNoCalls = (text: string): boolean =>
  searchedSentences(text)
    .flatMap(candidatesIn)
    .some(
      ({ hasTime, sentence, timed, wishes }) =>
        wishes.some((pattern) => pattern.test(sentence)) ||
        timed.some((pattern) => {
          const found = pattern.exec(sentence)
          return found !== null && around(sentence, found).every((words) => hasTime(words) === null)
        }),
    )
