/** Which lines of a text are not as they were. */
import { diffLines } from "diff"

/** From 1. Where lines were only taken away, the one that follows counts. */
export const changedLines = (before: string, after: string): ReadonlyArray<number> => {
  const lines: Array<number> = []
  let at = 1
  const parts = diffLines(`${before}\n`, `${after}\n`)
  parts.forEach(({ added, count = 0, removed }, index) => {
    if (added) for (let line = at; line < at + count; line++) lines.push(line)
    if (removed && parts[index + 1]?.added !== true) lines.push(at)
    if (!removed) at += count
  })
  return lines
}
