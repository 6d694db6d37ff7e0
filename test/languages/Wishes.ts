/**
 * Sentences in twelve languages that are, or are not, a wish never to be called again. In `wishes/LANGUAGE.txt`, a line
 * that begins with `+` is one, with `-` none, and with `=` a frame in which each is said. Every other sentence is held
 * out: phrases are tuned on the rest (docs/opt-out.md).
 */
import { readFileSync } from "node:fs"
import { languages } from "../../src/languages/Languages.ts"

export interface Said {
  readonly language: string
  readonly text: string
  readonly isWish: boolean
  readonly isHeldOut: boolean
}

const capitalise = (text: string): string => text.replace(/^\P{L}*\p{L}/u, (first) => first.toUpperCase())

const read = (language: string): ReadonlyArray<Said> => {
  const lines = readFileSync(new URL(`wishes/${language}.txt`, import.meta.url), "utf8").split("\n")
  const after = (sign: string) => lines.flatMap((line) => (line.startsWith(`${sign} `) ? [line.slice(2)] : []))
  const frames = after("=")
  const inFrames = (sentence: string, isWish: boolean, at: number) =>
    frames.map((frame) => ({
      language,
      text: capitalise(frame.replace("{}", sentence)),
      isWish,
      isHeldOut: at % 2 === 1,
    }))
  return [
    ...after("+").flatMap((sentence, at) => inFrames(sentence, true, at)),
    ...after("-").flatMap((sentence, at) => inFrames(sentence, false, at)),
  ]
}

export const said: ReadonlyArray<Said> = languages.flatMap(({ tag }) => read(tag))
