/** The result of a scenario run: a table, and the whole transcript of each scenario that failed. */
import Table from "cli-table3"
import { style, title } from "./show.ts"
import { type Conversation, showTranscript } from "./transcript.ts"

interface Call extends Conversation {
  readonly passed: boolean
  readonly checks: ReadonlyArray<{ readonly expectation: string; readonly passed: boolean; readonly detail: string }>
  readonly error: string | null
  readonly end_reason: string | null
  readonly turns: number
  readonly duration_seconds: number
  readonly cost: number
}

/** The response of `GET /api/agents/{id}/scenario-runs/{run_id}`. */
export interface Run {
  readonly id: string
  readonly agent_version: number
  readonly status: "running" | "completed" | "interrupted"
  readonly passed: boolean | null
  readonly counts: { readonly scenarios: number; readonly passed: number; readonly failed: number }
  readonly results: ReadonlyArray<{
    readonly name: string
    readonly passed: boolean
    readonly calls_passed: number
    readonly calls: ReadonlyArray<Call>
  }>
}

export const showRun = (file: string, run: Run) => {
  title(`${file}, against version ${run.agent_version} of the agent`)
  const table = new Table({
    head: ["", "Scenario", "Passed", "Turns", "Phone time", "Cost", "Ended"].map((text) => style("bold", text)),
    colAligns: ["left", "left", "right", "right", "right", "right", "left"],
    style: { head: [], border: [] },
    chars: { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" },
  })
  for (const { calls, calls_passed, name, passed } of run.results) {
    const most = (value: (call: Call) => number) => Math.max(...calls.map(value))
    const ends = [...new Set(calls.map(({ end_reason }) => end_reason ?? "not at all"))].join(", ")
    table.push([
      passed ? style("green", "✔") : style("red", "✘"),
      name,
      `${calls_passed}/${calls.length}`,
      most(({ turns }) => turns),
      `${Math.round(most(({ duration_seconds }) => duration_seconds))} s`,
      most(({ cost }) => cost).toFixed(3),
      ends.replaceAll("_", " "),
    ])
  }
  console.log(table.toString())
  for (const { calls, name } of run.results) {
    const failed = calls.find(({ passed }) => !passed)
    if (failed !== undefined) showFailure(name, failed)
  }
  const { failed, passed, scenarios } = run.counts
  const left = scenarios - passed - failed
  console.log(`\n  ${passed} of ${scenarios} passed${left > 0 ? `; ${left} were not run to their end` : ""}.`)
}

const showFailure = (name: string, call: Call) => {
  title(name)
  if (call.error !== null) console.log(`  ${style("red", "✘")} ${call.error}`)
  for (const { detail, expectation, passed } of call.checks) {
    if (!passed) console.log(`  ${style("red", "✘")} ${expectation}: ${detail}`)
  }
  console.log("")
  showTranscript(call, "Caller", "Agent")
}
