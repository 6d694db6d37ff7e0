/**
 * Cuts a model's text, as it arrives, into pieces that can be spoken: a short first one, and no cut inside a construct
 * that is not spoken. Pure.
 */
import { cutAt } from "../Pieces.ts"
import { speakable, withoutWhole } from "./Speakable.ts"

export interface Speech {
  readonly text: string
  readonly isFirst: boolean
}

export const nothing: Speech = { text: "", isFirst: true }

/**
 * Whether the text ends inside code, thoughts, a link, bold text or a tool call that is written as text. How its
 * beginning is spoken is known only at its end.
 */
const isOpen = (text: string): boolean =>
  (text.match(/```/gu)?.length ?? 0) % 2 === 1 ||
  /<(?:tool_call|function_call|think)>/u.test(text) ||
  /\[[^\]]*(?:\]\([^)]*)?$/u.test(text) ||
  (text.match(/\*\*/gu)?.length ?? 0) % 2 === 1 ||
  /^\s*\{/u.test(text)

export const add = (speech: Speech, delta: string): readonly [Speech, ReadonlyArray<string>] => {
  const spoken: Array<string> = []
  let { isFirst, text } = { ...speech, text: withoutWhole(speech.text + delta) }
  while (true) {
    const at = cutAt(text, isFirst)
    if (at === undefined || isOpen(text.slice(0, at))) return [{ text, isFirst }, spoken]
    const words = speakable(text.slice(0, at))
    text = text.slice(at)
    if (words === "") continue
    isFirst = false
    spoken.push(words)
  }
}

/** Ends the text. Returns the words that were held back. */
export const end = ({ isFirst, text }: Speech): readonly [Speech, ReadonlyArray<string>] => {
  const words = speakable(text)
  return [{ text: "", isFirst: isFirst && words === "" }, words === "" ? [] : [words]]
}
