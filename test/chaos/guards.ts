/**
 * What happens when a guard is taken away: each in a copy of the tree of its own, judged by the suite that should miss
 * it. `npm run chaos -- --guards`, or `node test/chaos/guards.ts --only "live number"`; fails unless every one is red.
 */
import CliTable from "cli-table3"
import { spawn } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Guard, guards } from "./KnownGuards.ts"

const repository = join(import.meta.dirname, "../..")
const copied = ["src", "test", "migrations", "examples", "docs", "package.json", "tsconfig.json", "vitest.config.ts"]

const { values } = parseArgs({ options: { only: { type: "string" } } })

/** The tree as it was when this began: it may be worked on meanwhile. */
const whole = mkdtempSync(join(tmpdir(), "parley-guards-"))
for (const name of copied) cpSync(join(repository, name), join(whole, name), { recursive: true })
symlinkSync(join(repository, "node_modules"), join(whole, "node_modules"))

/** A copy without the guard; undefined when the guard is not what the table says. */
const without = ({ cuts }: Pick<Guard, "cuts">): string | undefined => {
  const folder = mkdtempSync(join(tmpdir(), "parley-guard-"))
  cpSync(whole, folder, { recursive: true, verbatimSymlinks: true })
  for (const { file, puts = "", removes } of cuts) {
    const text = readFileSync(join(folder, file), "utf8")
    if (text.split(removes).length !== 2) {
      rmSync(folder, { recursive: true })
      return undefined
    }
    writeFileSync(
      join(folder, file),
      text.replace(removes, () => puts),
    )
  }
  return folder
}

interface Judgement {
  /** Tests that failed, by name, of how many. A suite that cannot run at all is no judgement. */
  readonly failed: ReadonlyArray<string>
  readonly of: number
  readonly seconds: number
}

const judge = async (folder: string, { suite, tests }: Pick<Guard, "suite" | "tests">): Promise<Judgement> => {
  const began = performance.now()
  const filter = tests === undefined ? [] : ["-t", tests]
  const vitest = join(repository, "node_modules/vitest/vitest.mjs")
  const report = join(folder, "report.json")
  const child = spawn(
    process.execPath,
    [vitest, "run", "--reporter", "json", `--outputFile=${report}`, ...filter, suite],
    { cwd: folder, stdio: "ignore" },
  )
  await new Promise((resolve) => child.once("close", resolve))
  const results: Array<any> = JSON.parse(readFileSync(report, "utf8")).testResults.flatMap(
    (file: any) => file.assertionResults,
  )
  const ran = results.filter(({ status }) => status === "passed" || status === "failed")
  return {
    failed: ran.filter(({ status }) => status === "failed").map(({ title }) => String(title)),
    of: ran.length,
    seconds: Math.round((performance.now() - began) / 1_000),
  }
}

const chosen = guards.filter(({ name }) => values.only === undefined || name.includes(values.only))
const table = new CliTable({
  head: ["guard", "keeps", "without it", "seen by", "s"],
  wordWrap: true,
  colWidths: [38, 8, 12, 70, 6],
})
let failures = 0
// A suite that is red with every guard in its place says nothing.
for (const [suite, [{ tests } = {}]] of Map.groupBy(chosen, (guard) => guard.suite)) {
  const { failed, of } = await judge(whole, { suite, ...(tests === undefined ? {} : { tests }) })
  console.log(`with all guards: ${suite} ${failed.length} of ${of} tests failed`)
  if (failed.length > 0 || of === 0) failures++
}
for (const guard of chosen) {
  const folder = without(guard)
  if (folder === undefined) {
    failures++
    table.push([guard.name, guard.keeps, "NOT FOUND", "a file of its cuts does not hold the text exactly once", ""])
    continue
  }
  try {
    const { failed, of, seconds } = await judge(folder, guard)
    if (failed.length === 0) failures++
    const verdict = failed.length === 0 ? "GREEN" : "red"
    table.push([guard.name, guard.keeps, verdict, `${failed.length} of ${of}: ${failed[0] ?? "–"}`, seconds])
    console.log(`${verdict} ${guard.name} (${failed.length} of ${of} tests, ${seconds} s)`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
rmSync(whole, { recursive: true, force: true })
console.log(table.toString())
console.log(
  failures === 0 ? `All ${chosen.length} guards are missed.` : `${failures} troubles with ${chosen.length} guards.`,
)
process.exitCode = failures === 0 ? 0 : 1
