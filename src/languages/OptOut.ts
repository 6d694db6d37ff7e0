/**
 * Whether a person asks never to be called again. Recognised by phrases of all languages, whatever the agent speaks, so
 * that it does not depend on a model. Pure.
 */
import { languages } from "./Languages.ts"
import { makeBeginningFinder, makeEraser, makeFinder, sentencesIn } from "./Phrases.ts"

const recognisers = languages.map(({ optOuts: { lookalikes, parts, phrases, times, unlessTimed } }) => ({
  canHaveOne: makeBeginningFinder([...phrases, ...unlessTimed], parts),
  withoutLookalikes: makeEraser(lookalikes, parts),
  always: makeFinder(phrases, parts),
  unlessTimed: makeFinder(unlessTimed, parts),
  hasTime: makeFinder(times, parts),
}))

/** The characters that are searched at the end of a text: more than an hour of speech, so that no text takes long. */
const searchedLength = 60_000

const searchedSentences = (text: string): ReadonlyArray<string> => sentencesIn(text.slice(-searchedLength))

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

/** The recognisers of the languages in which the sentence can have a wish. */
const recognisersOf = (sentence: string) => {
  const words = new Set(sentence.split(" "))
  return recognisers.filter(({ canHaveOne }) => canHaveOne(words))
}

/** Stands for words that may follow, so that no phrase ends with the sentence. */
const unknownWord = "· "

/** Whether the text is such a wish whatever is said after it. "Don't call me." may go on with "before noon". */
export const wantsNoCallsWhateverFollows = (text: string): boolean =>
  searchedSentences(text).some((sentence) =>
    recognisersOf(sentence).some(
      ({ always, withoutLookalikes }) => always(withoutLookalikes(sentence) + unknownWord) !== null,
    ),
  )

export const wantsNoCalls = (text: string): boolean =>
  searchedSentences(text).some((said) =>
    recognisersOf(said).some(({ always, hasTime, unlessTimed, withoutLookalikes }) => {
      const sentence = withoutLookalikes(said)
      if (always(sentence) !== null) return true
      const found = unlessTimed(sentence)
      return found !== null && around(sentence, found).every((words) => hasTime(words) === null)
    }),
  )
