/** A scenario as the console edits it: what the server takes, and its parts with and without a value. */
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

/** The thing with this part; without it where there is nothing to say. */
export const put = <Thing extends object, Part extends keyof Thing>(
  thing: Thing,
  part: Part,
  value: Thing[Part] | undefined,
): Thing => {
  const { [part]: _, ...others } = thing
  return (value === undefined ? others : { ...others, [part]: value }) as Thing
}

/** An empty list says nothing. */
export const some = <Item>(items: ReadonlyArray<Item>): Array<Item> | undefined =>
  items.length === 0 ? undefined : [...items]

export type CallerKind = "says" | "voicemail" | "persona"

export const kindOf = (caller: Caller): CallerKind =>
  caller.persona === undefined ? (caller.voicemail === undefined ? "says" : "voicemail") : "persona"

/** Steps with a condition, a wait or a barge-in are more than lines. */
export const linesOf = ({ says = [] }: Caller): ReadonlyArray<string> | undefined =>
  says.every((step) => typeof step === "string") ? says : undefined
