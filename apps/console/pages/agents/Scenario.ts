/** A scenario as the console edits it: the server's input, and functions to set and clear its parts. */
import type { z } from "zod"
import type { NewScenarioRun } from "../../../../src/rpc/inputs/ScenarioRuns.ts"

export type Scenarios = NonNullable<z.output<typeof NewScenarioRun>["scenarios"]>
export type Scenario = Scenarios[number]
export type Caller = Scenario["caller"]
export type Expectations = Scenario["expect"]

export const newScenario = (number: number): Scenario => ({
  name: number === 1 ? "asks what the call is about" : `scenario ${number}`,
  caller: { says: ["What is this about?", "Thank you, that was all."] },
  expect: { never_said: ["I do not know"], turns_at_most: 6 },
})

/** Sets a part. Undefined removes it. */
export const put = <Thing extends object, Part extends keyof Thing>(
  thing: Thing,
  part: Part,
  value: Thing[Part] | undefined,
): Thing => {
  const { [part]: _, ...others } = thing
  return (value === undefined ? others : { ...others, [part]: value }) as Thing
}

/** Undefined for an empty list, so that `put` removes the part. */
export const some = <Item>(items: ReadonlyArray<Item>): Array<Item> | undefined =>
  items.length === 0 ? undefined : [...items]

export type CallerKind = "says" | "voicemail" | "persona"

export const kindOf = (caller: Caller): CallerKind =>
  caller.persona === undefined ? (caller.voicemail === undefined ? "says" : "voicemail") : "persona"

/** The caller's lines. Undefined if a step has a condition, a wait or a barge-in, which the form cannot show. */
export const linesOf = ({ says = [] }: Caller): ReadonlyArray<string> | undefined =>
  says.every((step) => typeof step === "string") ? says : undefined
