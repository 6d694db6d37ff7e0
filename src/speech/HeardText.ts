/** How much of a text was heard, by how much of its sound was. Pure. */
import { spans } from "./Aloud.ts"

/** The last word is taken for heard when its end was this long ago: nobody catches half a word. */
const marginMs = 100

/**
 * The whole words of `text` that were over when `played_ms` of its `length_ms` had been heard: always a prefix of it. What is
 * said in other words than it is written, an amount or an address, was heard when all of it was.
 */
export const heardText = (text: string, played_ms: number, length_ms: number, language: string): string => {
  if (length_ms > 0 && played_ms >= length_ms) return text
  const inOtherWords = spans(text, language)
  const longer = inOtherWords.reduce((sum, { from, spoken, to }) => sum + spoken.length - (to - from), 0)
  const heard = ((played_ms - marginMs) / length_ms) * (text.length + longer)
  let end = 0
  // In writing a word takes about as long as in speech, its space included.
  for (const { 0: word, index } of text.matchAll(/\S+/gu)) {
    const written = index + word.length
    const before = inOtherWords.filter(({ from }) => from < written)
    const said = before.reduce((at, { spoken, to, from }) => at + spoken.length - (to - from), written)
    // Within such a stretch the rest of it is still to come.
    const rest = Math.max(0, (before.at(-1)?.to ?? 0) - written)
    if (!(said + rest <= heard)) break
    end = written
  }
  return text.slice(0, end)
}
