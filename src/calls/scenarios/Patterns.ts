/** The regular expressions of scenarios: RE2, whose time grows with the text and with nothing else. */
import { Result } from "effect"
import { RE2JS } from "re2js"
import type { Issue } from "../../domain/Refusals.ts"
import type { Scenario } from "../../domain/Scenario.ts"

const compile = (pattern: string) => RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)

export const found = (pattern: string, text: string): boolean => compile(pattern).matcher(text).find()

/** Patterns that are none, where they stand. */
export const faultsOf = (scenarios: ReadonlyArray<Scenario>): ReadonlyArray<Issue> =>
  scenarios.flatMap(({ caller, expect }, at) => {
    const patterns = [
      ...(caller.says ?? []).flatMap((step, place) =>
        typeof step === "string" || step.when === undefined ? [] : [[`caller/says/${place}/when`, step.when] as const],
      ),
      ...(expect.said ?? []).map((pattern, place) => [`expect/said/${place}`, pattern] as const),
      ...(expect.never_said ?? []).map((pattern, place) => [`expect/never_said/${place}`, pattern] as const),
    ]
    return patterns.flatMap(([place, pattern]) => {
      const compiled = Result.try({ try: () => compile(pattern), catch: String })
      if (Result.isSuccess(compiled)) return []
      const reason = compiled.failure.replace(/^.*error parsing regexp: /u, "")
      return [{ pointer: `/scenarios/${at}/${place}`, detail: `is no regular expression: ${reason}` }]
    })
  })
