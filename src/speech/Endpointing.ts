/**
 * Endpointing: how long to wait after a person stops speaking, judged by the words. A whole sentence gets a quick
 * answer. An unfinished one, or a number that is being spelled, gets more time. Pure.
 */
import { forEachLanguage } from "../languages/Languages.ts"
import { makeExactRecogniser, makeFinder, sentencesIn } from "../languages/Phrases.ts"

/** Milliseconds after the last sound. */
const complete = 300
const unknown = 600
const incomplete = 1_500
/** People pause between the groups of a number. */
const spelling = 600

/** Whether the text ends in digits, or in a single letter of a word that is being spelled. */
const isSpelled = (text: string): boolean => /(?:^|\s)(?:[\d+(][\d\s().+-]*|\p{L})$/u.test(text)

const judgesIn = forEachLanguage(({ answers, digits, unfinished }) => ({
  isAnswer: makeExactRecogniser(answers),
  endsInDigit: makeFinder(digits.map((words) => `${words} $`)),
  isUnfinished: makeFinder(unfinished.map((words) => `${words} $`)),
}))

/** `language` is the BCP 47 tag of the talk. */
export const patienceIn = (language: string): ((text: string) => number) => {
  const { endsInDigit, isAnswer, isUnfinished } = judgesIn(language)
  return (text) => {
    const plain = text.trim()
    // Ignored: a recogniser puts a full stop after everything.
    const words = plain.replace(/[.…,;:\s]+$/u, "")
    const last = sentencesIn(words).at(-1) ?? ""
    if (words === "") return unknown
    const goesOn = /[,;:…-]$|\.{3}$/u.test(plain)
    if (isAnswer(words) && !goesOn) return complete
    if (!/[?!]$/u.test(plain) && (isSpelled(words) || endsInDigit(last) !== null)) return unknown + spelling
    if (goesOn || isUnfinished(last) !== null) return incomplete
    return /[.!?。！？।]["”’)]*$/u.test(plain) ? complete : unknown
  }
}
