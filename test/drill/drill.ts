/**
 * `npm run drill`: rehearses on this machine what operators rely on, and compares the figures with their goals. `--only
 * NAME` runs one drill, `--short` the form for CI, and `--hours N` sets the length of the soak. Exits with 1 if a goal
 * is not met.
 */
import { parseArgs } from "node:util"
import { machine, table } from "../bench/support/Report.ts"
import type { Figure } from "./Figure.ts"
import type { Options } from "./Options.ts"
import * as Accounts from "./Accounts.ts"
import * as CellUpgrade from "./CellUpgrade.ts"
import * as Neighbours from "./Neighbours.ts"
import * as Soak from "./Soak.ts"
import * as Suites from "./Suites.ts"
import * as Upgrade from "./Upgrade.ts"

const drills: Record<string, (options: Options) => Promise<ReadonlyArray<Figure>>> = {
  restore: Suites.of("test/tenancy/RestoreDrill.test.ts", "test/tenancy/RestoredCopies.test.ts"),
  upgrade: Upgrade.run,
  "cell-upgrade": CellUpgrade.run,
  deletion: Suites.of("test/tenancy/UnfinishedAccounts.test.ts"),
  poison: Suites.of("test/tenancy/BrokenAccounts.test.ts", "test/tenancy/AccountMigrations.test.ts"),
  accounts: Accounts.run,
  neighbours: Neighbours.run,
  soak: Soak.run,
}

// The exit handlers end everything that a drill has started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))

const { values } = parseArgs({
  options: { only: { type: "string" }, short: { type: "boolean" }, hours: { type: "string" } },
})
const { only } = values
if (only !== undefined && !(only in drills)) throw new Error(`--only is one of ${Object.keys(drills).join(", ")}`)

const rows: Array<ReadonlyArray<string>> = []
let isMet = true
for (const [name, run] of Object.entries(drills).filter(([name]) => only === undefined || name === only)) {
  const began = performance.now()
  const log = (line: string) => console.log(`${new Date().toISOString()} ${name}: ${line}`)
  log("begins")
  const figures = await run({
    isShort: values.short === true,
    hours: Number(values.hours ?? 0.1),
    log,
  }).catch((error: unknown): ReadonlyArray<Figure> => {
    console.error(error)
    return [{ what: "runs to its end", value: "no", goal: "yes", isMet: false }]
  })
  log(`took ${Math.round((performance.now() - began) / 1_000)} s`)
  isMet &&= figures.every((figure) => figure.isMet)
  rows.push(...figures.map(({ goal, isMet, value, what }) => [name, what, value, goal, isMet ? "met" : "NOT MET"]))
}
console.log("")
table(["drill", "what", "figure", "goal", ""], rows)
machine()
process.exitCode = isMet ? 0 : 1
