/**
 * Whether a person asks never to be called again. Recognised by phrases in every language, whatever the agent speaks:
 * no model may miss it. Pure.
 */
import { languages } from "./Languages.ts"
import { makeFinder, sentencesIn } from "./Phrases.ts"

const recognisers = languages.map(({ optOuts: { phrases, times, unlessTimed } }) => ({
  always: makeFinder(phrases),
  unlessTimed: makeFinder(unlessTimed),
  hasTime: makeFinder(times),
}))

/** A time belongs to the wish if it is one of so many words before or after it. */
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

export const wantsNoCalls = (text: string): boolean =>
  sentencesIn(text).some((sentence) =>
    recognisers.some(({ always, hasTime, unlessTimed }) => {
      if (always(sentence) !== null) return true
      const found = unlessTimed(sentence)
      return found !== null && around(sentence, found).every((words) => hasTime(words) === null)
    }),
  )
