/** What happens when a guard is taken away: each in a copy of the tree of its own, judged by the suite that has to miss it. */
import CliTable from "cli-table3"
import { spawn } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Guard, guards } from "./KnownGuards.ts"

const repository = join(import.meta.dirname, "../..")
const copied = [
  "apps",
  "src",
  "test",
  "migrations",
  "examples",
  "docs",
  "package.json",
  "tsconfig.json",
  "vitest.config.ts",
]

/** The tree as it is now: it may be worked on meanwhile. */
const copy = () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-guards-"))
  for (const name of copied) cpSync(join(repository, name), join(folder, name), { recursive: true })
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"))
  return folder
}

/** A copy without the guard; undefined when the guard is not what the table says. */
const without = (whole: string, { cuts }: Pick<Guard, "cuts">): string | undefined => {
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

/** Whether each was missed; `isChosen` by name. */
export const takeAway = async (isChosen: (name: string) => boolean): Promise<boolean> => {
  const chosen = guards.filter(({ name }) => isChosen(name))
  const whole = copy()
  const table = new CliTable({
    head: ["guard", "keeps", "without it", "seen by", "s"],
    wordWrap: true,
    colWidths: [38, 8, 12, 70, 6],
  })
  let troubles = 0
  // A suite that is red with every guard in its place says nothing.
  for (const [suite, [{ tests } = {}]] of Map.groupBy(chosen, (guard) => guard.suite)) {
    const { failed, of } = await judge(whole, { suite, ...(tests === undefined ? {} : { tests }) })
    console.log(`with all guards: ${suite}, ${failed.length} of ${of} tests failed`)
    if (failed.length > 0 || of === 0) troubles++
  }
  for (const guard of chosen) {
    const folder = without(whole, guard)
    if (folder === undefined) {
      troubles++
      table.push([guard.name, guard.keeps, "NOT FOUND", "a file of its cuts does not hold the text exactly once", ""])
      continue
    }
    const { failed, of, seconds } = await judge(folder, guard)
    rmSync(folder, { recursive: true, force: true })
    if (failed.length === 0) troubles++
    const verdict = failed.length === 0 ? "GREEN" : "red"
    table.push([guard.name, guard.keeps, verdict, `${failed.length} of ${of}: ${failed[0] ?? "–"}`, seconds])
    console.log(`${verdict} ${guard.name} (${failed.length} of ${of} tests, ${seconds} s)`)
  }
  rmSync(whole, { recursive: true, force: true })
  console.log(table.toString())
  console.log(
    troubles === 0 ? `All ${chosen.length} guards are missed.` : `${troubles} of ${chosen.length} are not missed.`,
  )
  return troubles === 0
}
