/** The patterns of one schema, compiled when first asked for, by an engine that never backtracks. */
import { RE2JS } from "re2js"
import type { Budget } from "../../offload/Budget.ts"
import { toRe2 } from "./EcmaPattern.ts"

/** `^(a+)+$` on 30 characters took the language's own engine 5.8 s; RE2's time grows with the pattern and the text. */
export class Patterns {
  private readonly compiled = new Map<string, RE2JS>()

  /** Whether RE2 knows the pattern: it has no look-around and no back-references. */
  isKnown(pattern: string, budget: Budget): boolean {
    budget.spend(costOf(pattern))
    try {
      RE2JS.compile(toRe2(pattern))
      return true
    } catch {
      return false
    }
  }

  isIn(text: string, pattern: string, budget: Budget): boolean {
    const compiled = this.compile(pattern, budget)
    budget.spend(20 + (text.length * compiled.programSize()) / 2)
    return compiled.matcher(text).find()
  }

  private compile(pattern: string, budget: Budget): RE2JS {
    const before = this.compiled.get(pattern)
    if (before !== undefined) return before
    budget.spend(costOf(pattern))
    const compiled = RE2JS.compile(toRe2(pattern))
    this.compiled.set(pattern, compiled)
    return compiled
  }
}

const repetition = /\{(\d+)(?:,(\d*))?\}/gu

/** A repetition is written out, by RE2 a thousand times at most; a class of Unicode is some hundred ranges each time. */
export const costOf = (pattern: string): number => {
  const counts = [...pattern.matchAll(repetition)].map(([, least = "1", most = ""]) =>
    Number(most === "" ? least : most),
  )
  const copies = Math.min(
    1_000,
    counts.reduce((product, count) => product * Math.max(1, count), 1),
  )
  return pattern.length * 20 + copies * (/\\p/iu.test(pattern) ? 800 : 40)
}
