/**
 * Whether a person asks never to be called again. Recognised by phrases of all languages, whatever the agent speaks, so
 * that it does not depend on a model. Pure.
 */
import { languages } from "./Languages.ts"
import { makeFinder, sentencesIn } from "./Phrases.ts"

const recognisers = languages.map(({ optOuts: { phrases, times, unlessTimed } }) => ({
  always: makeFinder(phrases),
  unlessTimed: makeFinder(unlessTimed),
  hasTime: makeFinder(times),
}))

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

/** Whether the text is such a wish whatever is said after it. "Don't call me." may go on with "before noon". */
export const wantsNoCallsWhateverFollows = (text: string): boolean =>
  sentencesIn(text).some((sentence) => recognisers.some(({ always }) => always(sentence) !== null))

export const wantsNoCalls = (text: string): boolean =>
  sentencesIn(text).some((sentence) =>
    recognisers.some(({ always, hasTime, unlessTimed }) => {
      if (always(sentence) !== null) return true
      const found = unlessTimed(sentence)
      return found !== null && around(sentence, found).every((words) => hasTime(words) === null)
    }),
  )
