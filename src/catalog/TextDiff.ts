/** Compares two texts line by line, as a unified diff. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff"
import type { Budget } from "../offload/Budget.ts"
import type { Job } from "../offload/Job.ts"

/** The maximum number of differing lines: a longer diff is too long to read. */
const mostEdits = 4_000

interface Texts {
  readonly left: string
  readonly right: string
  readonly names: { readonly before: string; readonly after: string }
}

/** The unified diff; null if too many lines differ. */
export const differenceBetween = ({ left, names, right }: Texts, budget: Budget): string | null => {
  const lines = countLines(left) + countLines(right)
  budget.spend((left.length + right.length) / 8 + (lines * Math.min(lines, mostEdits)) / 4)
  const patch = createTwoFilesPatch(names.before, names.after, left, right, undefined, undefined, {
    context: 3,
    maxEditLength: mostEdits,
    headerOptions: FILE_HEADERS_ONLY,
  })
  return patch ?? null
}

const countLines = (text: string): number => text.split("\n").length

export const comparing: Job<Texts, string | null> = { module: import.meta.url, work: differenceBetween }
