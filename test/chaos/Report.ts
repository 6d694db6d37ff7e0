/** The summary of a chaos run: its faults, its load, and its violations with the evidence. */
import { check } from "./Checker.ts"
import { ofKind } from "./checks/Facts.ts"
import type { History } from "./History.ts"

export interface Summary {
  readonly lines: ReadonlyArray<string>
  readonly violations: number
}

const tally = (names: ReadonlyArray<string>): string => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, count]) => `${name} ${count}`).join(", ") || "none"
}

/**
 * Not counted as faults: recoveries, kills (counted separately), and commit cuts that are armed but have not happened.
 */
const notFaults = new Set(["postgres is back", "kill", "commits to be cut"])

/** The number of violations of each kind that are shown in full. */
const shown = 3

export const of = (history: History): Summary => {
  const violations = check(history)
  const processes = ofKind(history, "process")
  const dead = processes.filter(({ code, event }) => event === "exit" && code === "SIGKILL")
  const atPoint = dead.filter(({ at, pid }) =>
    processes.every((other) => other.pid !== pid || other.event !== "kill" || other.at > at),
  )
  const calls = ofKind(history, "call")
  const faults = ofKind(history, "fault").filter(({ kind }) => !notFaults.has(kind))
  const answers = ofKind(history, "answer")
  const phase = (name: string) => ofKind(history, "phase").find((event) => event.phase === name)?.at ?? 0
  const kinds = Map.groupBy(violations, ({ invariant, what }) => `${invariant}: ${what.replaceAll(/[\d.,-]+/g, "…")}`)
  return {
    violations: violations.length,
    lines: [
      `kills       ${dead.length} (${atPoint.length} at crash points: ${tally(atPoint.map(({ why }) => why?.replace(/ \d+$/, "") ?? "?"))})`,
      `faults      ${faults.length} (${tally(faults.map(({ kind }) => kind))})`,
      `left        ${processes.filter(({ event }) => event === "term").length} processes by SIGTERM`,
      `requests    ${answers.length} (${tally(answers.map(({ status }) => (status === 0 ? "no answer" : `${Math.floor(status / 100)}xx`)))})`,
      `campaigns   ${ofKind(history, "campaign").length} with ${ofKind(history, "contact").length} contacts`,
      `dials       ${ofKind(history, "carrier").filter(({ event }) => event === "create").length} of ${calls.length} intents (${tally(calls.map(({ outcome }) => outcome ?? "live"))})`,
      `looks       ${ofKind(history, "sample").length} into the databases, ${ofKind(history, "sse").length} events of streams`,
      `time        ${Math.round((phase("rolling") - phase("chaos")) / 1_000)} s of faults, then ${Math.round((phase("over") - phase("healed")) / 1_000)} s until everything was over`,
      `violations  ${violations.length}`,
      ...[...kinds].flatMap(([kind, found]) => [
        ``,
        `${kind} (${found.length})`,
        ...found
          .slice(0, shown)
          .flatMap(({ evidence, what }) => [
            `  ${what}`,
            ...evidence.slice(0, 6).map((event) => `    ${JSON.stringify(event)}`),
          ]),
      ]),
    ],
  }
}
