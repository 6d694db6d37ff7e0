/** The regular expressions of scenarios. They are RE2, whose time is bounded by the pattern and the text. */
import { RE2JS } from "re2js"
import type { Issue } from "../domain/Refusals.ts"
import type { Scenario } from "../domain/Scenario.ts"
import { type Budget, isOutOfSteps } from "../offload/Budget.ts"
import type { Job } from "../offload/Job.ts"

const compile = (pattern: string, budget: Budget): RE2JS => {
  budget.spend(costOf(pattern))
  return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)
}

/** The positions of the texts that match the pattern, at most the first `most` of them. */
export const positionsOf = (
  pattern: string,
  texts: ReadonlyArray<string>,
  budget: Budget,
  most = 1,
): ReadonlyArray<number> => {
  const compiled = compile(pattern, budget)
  const found: Array<number> = []
  for (const [at, text] of texts.entries()) {
    if (found.length === most) break
    budget.spend(20 + (text.length * compiled.programSize()) / 2)
    if (compiled.matcher(text).find()) found.push(at)
  }
  return found
}

interface Heard {
  /** Null matches everything that is said before the goodbye. */
  readonly patterns: ReadonlyArray<string | null>
  readonly text: string
  readonly isOver: boolean
}

/** The position of the first pattern that matches the text; -1 if none does. */
export const firstFitting = ({ isOver, patterns, text }: Heard, budget: Budget): number =>
  patterns.findIndex((pattern) => (pattern === null ? !isOver : positionsOf(pattern, [text], budget).length > 0))

/** The faults of invalid patterns, with their places. */
export const faultsInScenarios = (scenarios: ReadonlyArray<Scenario>, budget: Budget): ReadonlyArray<Issue> =>
  scenarios.flatMap(({ caller, expect }, at) => {
    const patterns = [
      ...(caller.says ?? []).flatMap((step, place) =>
        typeof step === "string" || step.when === undefined ? [] : [[`caller/says/${place}/when`, step.when] as const],
      ),
      ...(expect.said ?? []).map((pattern, place) => [`expect/said/${place}`, pattern] as const),
      ...(expect.never_said ?? []).map((pattern, place) => [`expect/never_said/${place}`, pattern] as const),
    ]
    return patterns.flatMap(([place, pattern]) => {
      const reason = faultIn(pattern, budget)
      if (reason === undefined) return []
      return [{ pointer: `/scenarios/${at}/${place}`, detail: `is not a valid regular expression: ${reason}` }]
    })
  })

const faultIn = (pattern: string, budget: Budget): string | undefined => {
  try {
    compile(pattern, budget)
    return undefined
  } catch (cause) {
    if (isOutOfSteps(cause)) throw cause
    return String(cause).replace(/^.*error parsing regexp: /u, "")
  }
}

export const inspecting: Job<ReadonlyArray<Scenario>, ReadonlyArray<Issue>> = {
  module: import.meta.url,
  work: faultsInScenarios,
}
export const choosing: Job<Heard, number> = { module: import.meta.url, work: firstFitting }

const repetition = /\{(\d+)(?:,(\d*))?\}/gu

/**
 * The steps to compile a pattern. RE2 expands repetitions, at most a thousand times; a Unicode class has some hundred
 * ranges in each copy.
 */
const costOf = (pattern: string): number => {
  const counts = [...pattern.matchAll(repetition)].map(([, least = "1", most = ""]) =>
    Number(most === "" ? least : most),
  )
  const copies = Math.min(
    1_000,
    counts.reduce((product, count) => product * Math.max(1, count), 1),
  )
  return pattern.length * 20 + copies * (/\\p/iu.test(pattern) ? 800 : 40)
}
