/** The lines of a text that differ from the saved text. */
import { diffLines } from "diff"

/** Line numbers, from 1. For deleted lines, the line that follows them. */
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
