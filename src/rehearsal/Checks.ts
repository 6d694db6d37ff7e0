/** Checks a scenario's expectations against the call. Pure. */
import type { Schema } from "effect"
import type { EndReason, ToolInvocation } from "../domain/Call.ts"
import { isObject } from "../domain/JsonValue.ts"
import type { Check, Expectations, ScenarioCall } from "../domain/Scenario.ts"
import type { Budget } from "../offload/Budget.ts"
import type { Job } from "../offload/Job.ts"
import { positionsOf } from "./Patterns.ts"

type Held = Omit<ScenarioCall, "passed" | "checks">

const endedBy: Partial<Record<EndReason, "agent" | "caller">> = {
  agent_hung_up: "agent",
  transferred: "agent",
  opted_out: "agent",
  silence: "agent",
  max_duration: "agent",
  voicemail: "agent",
  agent_error: "agent",
  caller_hung_up: "caller",
  line_lost: "caller",
}

/**
 * Whether the given value contains the wanted one. An object must contain every wanted key, an array must have the same
 * length and contain every wanted item, and other values must be equal.
 */
export const contains = (given: Schema.Json | undefined, wanted: Schema.Json, budget: Budget): boolean => {
  budget.spend(1)
  if (isObject(wanted)) {
    const { $matches } = wanted
    if (typeof $matches === "string" && Object.keys(wanted).length === 1) {
      return typeof given === "string" && positionsOf($matches, [given], budget).length > 0
    }
    return isObject(given) && Object.entries(wanted).every(([key, value]) => contains(given[key], value, budget))
  }
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(given) &&
      given.length === wanted.length &&
      wanted.every((item, at) => contains(given[at], item, budget))
    )
  }
  return given === wanted
}

const check = (expectation: string, passed: boolean, detail: () => string): Check => ({
  expectation,
  passed,
  detail: passed ? "" : detail(),
})

const text = (value: unknown) => JSON.stringify(value)

interface Judged {
  readonly expect: Expectations
  readonly held: Held
}

export const checksOf = ({ expect, held }: Judged, budget: Budget): ReadonlyArray<Check> => {
  const { tool_invocations: invocations, transcript } = held
  const said = transcript.filter(({ role }) => role === "agent").map((entry) => entry.text)
  const calledTools = [...new Set(invocations.map(({ tool_name }) => tool_name))]
  const { cost_at_most, end_reason, ended_by, outcome, result, seconds_at_most, turns_at_most } = expect
  const limit = (name: string, most: number | undefined, value: number) =>
    most === undefined ? [] : [check(`${name} at most ${most}`, value <= most, () => `It took ${value}.`)]
  return [
    ...(expect.called ?? []).map((wanted) => checkCalled(wanted, invocations, calledTools, budget)),
    ...(expect.not_called ?? []).map((tool) =>
      check(`not called ${tool}`, !calledTools.includes(tool), () => `${tool} was called.`),
    ),
    ...(expect.said ?? []).map((pattern) =>
      check(`said ${pattern}`, positionsOf(pattern, said, budget).length > 0, () => "The agent never said it."),
    ),
    ...(expect.never_said ?? []).map((pattern) => {
      const [at] = positionsOf(pattern, said, budget)
      const words = at === undefined ? undefined : said[at]
      return check(`never said ${pattern}`, words === undefined, () => `The agent said: ${words}`)
    }),
    ...(outcome === undefined
      ? []
      : [check(`outcome ${outcome}`, held.outcome === outcome, () => `It was ${held.outcome}.`)]),
    ...(end_reason === undefined
      ? []
      : [check(`end reason ${end_reason}`, held.end_reason === end_reason, () => `It was ${held.end_reason}.`)]),
    ...(ended_by === undefined ? [] : [checkEndedBy(ended_by, held.end_reason)]),
    ...(result === undefined
      ? []
      : [check(`result ${text(result)}`, contains(held.result, result, budget), () => `It was ${text(held.result)}.`)]),
    ...limit("turns", turns_at_most, held.turns),
    ...limit("seconds", seconds_at_most, held.duration_seconds),
    ...limit("cost", cost_at_most, held.cost),
    ...withoutStandIn(invocations),
  ]
}

export const judging: Job<Judged, ReadonlyArray<Check>> = { module: import.meta.url, work: checksOf }

const checkEndedBy = (wanted: "agent" | "caller", reason: EndReason | null) =>
  check(`ended by the ${wanted}`, reason !== null && endedBy[reason] === wanted, () => `It ended with ${reason}.`)

const checkCalled = (
  wanted: NonNullable<Expectations["called"]>[number],
  invocations: ReadonlyArray<ToolInvocation>,
  calledTools: ReadonlyArray<string>,
  budget: Budget,
): Check => {
  const { arguments: args, times, tool } = wanted
  const ofTool = invocations.filter(({ tool_name }) => tool_name === tool)
  const fitting = args === undefined ? ofTool : ofTool.filter((each) => contains(each.arguments, args, budget))
  const expectation = [
    `called ${tool}`,
    ...(args === undefined ? [] : [`with ${text(args)}`]),
    ...(times === undefined ? [] : [`${times} times`]),
  ].join(" ")
  const passed = times === undefined ? fitting.length > 0 : fitting.length === times
  return check(expectation, passed, () => {
    if (ofTool.length === 0) {
      return `${tool} was never called${calledTools.length === 0 ? "; no tool was" : `, only ${calledTools.join(", ")}`}.`
    }
    if (fitting.length > 0) return `It was called ${fitting.length} times.`
    return `It was called with ${ofTool.map((each) => text(each.arguments)).join(" and ")}.`
  })
}

/** The error code of a tool without a stand-in. */
export const noStandIn = "no_stand_in"

/**
 * A failed check for each tool that the agent called without a stand-in. A scenario calls no real service unless it
 * allows it, and the failure of such a call says nothing about the agent.
 */
const withoutStandIn = (invocations: ReadonlyArray<ToolInvocation>): ReadonlyArray<Check> =>
  [...new Set(invocations.filter(({ error }) => error?.code === noStandIn).map(({ tool_name }) => tool_name))].map(
    (tool) =>
      check(
        `a stand-in for ${tool}`,
        false,
        () => `The agent called ${tool}. State its answer under tools, or set real.`,
      ),
  )
