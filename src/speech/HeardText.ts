/** Estimates which words of a text the listener has heard, from the played share of its sound. Pure. */
import { spans } from "./Aloud.ts"

/**
 * A word counts as heard this long after its estimated end, because words are not as even as the estimate assumes.
 * Below 20 ms, unspoken words would count; at 100 ms, too many spoken ones would be missed (`HeardText.test.ts`).
 */
const marginMs = 80
/** A voice pauses within a sentence for about as long as it takes for these characters. */
const pauseCharacters = 2
const pauses = /[,;:.!?…]$/u

/**
 * Returns the whole words of `text` that were spoken when `played_ms` of its `length_ms` were heard: always a prefix. A
 * part that is spoken differently from its spelling, such as an amount, counts once all of it was heard.
 */
export const heardText = (text: string, played_ms: number, length_ms: number, language: string): string => {
  if (length_ms > 0 && played_ms >= length_ms) return text
  const inOtherWords = spans(text, language)
  const longer = inOtherWords.reduce((sum, { from, spoken, to }) => sum + spoken.length - (to - from), 0)
  const words = [...text.matchAll(/\S+/gu)]
  const paused = words.slice(0, -1).filter(({ 0: word }) => pauses.test(word)).length * pauseCharacters
  const heard = ((played_ms - marginMs) / length_ms) * (text.length + longer + paused)
  let end = 0
  let pause = 0
  // A word takes about as long in speech as in writing, its space included.
  for (const { 0: word, index } of words) {
    const written = index + word.length
    const before = inOtherWords.filter(({ from }) => from < written)
    const said = before.reduce((at, { spoken, to, from }) => at + spoken.length - (to - from), written)
    // A word inside such a part counts only when the whole part was heard.
    const rest = Math.max(0, (before.at(-1)?.to ?? 0) - written)
    if (!(said + rest + pause <= heard)) break
    end = written
    if (pauses.test(word)) pause += pauseCharacters
  }
  return text.slice(0, end)
}
