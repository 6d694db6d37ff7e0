/**
 * Sentences in twelve languages that are, or are not, a wish never to be called again. In `FOLDER/LANGUAGE.txt`, a line
 * that begins with `+` is one, with `-` none, and with `=` a frame in which each is said. Phrases were tuned on `wishes`
 * and `tuned`, and never on `heldout` (docs/opt-out.md).
 */
import { readFileSync } from "node:fs"
import { languages } from "../../src/languages/Languages.ts"

export interface Said {
  readonly language: string
  readonly text: string
  readonly isWish: boolean
}

const capitalise = (text: string): string => text.replace(/^\P{L}*\p{L}/u, (first) => first.toUpperCase())

const read = (folder: string, language: string): ReadonlyArray<Said> => {
  const lines = readFileSync(new URL(`${folder}/${language}.txt`, import.meta.url), "utf8").split("\n")
  const after = (sign: string) => lines.flatMap((line) => (line.startsWith(`${sign} `) ? [line.slice(2)] : []))
  const frames = after("=")
  const inFrames = (sentence: string, isWish: boolean) =>
    (frames.length === 0 ? ["{}"] : frames).map((frame) => ({
      language,
      text: capitalise(frame.replace("{}", sentence)),
      isWish,
    }))
  return [
    ...after("+").flatMap((sentence) => inFrames(sentence, true)),
    ...after("-").flatMap((sentence) => inFrames(sentence, false)),
  ]
}

export const readAll = (folder: "wishes" | "tuned" | "heldout"): ReadonlyArray<Said> =>
  languages.flatMap(({ tag }) => read(folder, tag))
