/** Removes each guard from its own copy of the tree, and runs the tests that have to fail without it. */
import CliTable from "cli-table3"
import { spawn } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Guard, guards } from "./KnownGuards.ts"
import { cut, type Marker, readMarkers } from "./Markers.ts"

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

/** Copies the tree, which may change during the run. */
const copy = () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-guards-"))
  for (const name of copied) cpSync(join(repository, name), join(folder, name), { recursive: true })
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"))
  return folder
}

/** Makes another copy without the marked lines. Cuts from the last to the first, so that line numbers stay valid. */
const copyWithout = (whole: string, marked: ReadonlyArray<Marker>): string => {
  const folder = mkdtempSync(join(tmpdir(), "parley-guard-"))
  cpSync(whole, folder, { recursive: true, verbatimSymlinks: true })
  for (const marker of marked.toSorted((a, b) => b.first - a.first)) {
    const file = join(folder, marker.file)
    writeFileSync(file, cut(readFileSync(file, "utf8"), marker))
  }
  return folder
}

interface Judgement {
  /** The names of the failed tests, out of `of`. A suite that cannot run at all proves nothing. */
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

/** Returns whether the tests of every chosen guard fail without it. A guard is chosen by the names of its markers. */
export const takeAway = async (isChosen: (marker: string) => boolean): Promise<boolean> => {
  const chosen = guards.filter(({ markers }) => markers.some(isChosen))
  const whole = copy()
  const markers = readMarkers(whole)
  const table = new CliTable({
    head: ["guard", "keeps", "without it", "seen by", "s"],
    wordWrap: true,
    colWidths: [38, 8, 12, 70, 6],
  })
  let troubles = 0
  // A suite that fails with every guard in place proves nothing.
  for (const [guard] of Map.groupBy(chosen, ({ suite, tests }) => `${suite} ${tests}`).values()) {
    if (guard === undefined) continue
    const { failed, of } = await judge(whole, guard)
    console.log(`with all guards: ${guard.suite}, ${failed.length} of ${of} tests failed`)
    if (failed.length > 0 || of === 0) troubles++
  }
  for (const guard of chosen) {
    const marked = markers.filter(({ name }) => guard.markers.includes(name))
    const [name, keeps] = [guard.markers.join("; "), marked[0]?.promises ?? ""]
    if (marked.length !== guard.markers.length) {
      troubles++
      table.push([name, keeps, "NOT FOUND", "test/chaos/KnownGuards.test.ts says what is wrong", ""])
      continue
    }
    const folder = copyWithout(whole, marked)
    const { failed, of, seconds } = await judge(folder, guard)
    rmSync(folder, { recursive: true, force: true })
    if (failed.length === 0) troubles++
    const verdict = failed.length === 0 ? "GREEN" : "red"
    table.push([name, keeps, verdict, `${failed.length} of ${of}: ${failed[0] ?? "–"}`, seconds])
    console.log(`${verdict} ${name} (${failed.length} of ${of} tests, ${seconds} s)`)
  }
  rmSync(whole, { recursive: true, force: true })
  console.log(table.toString())
  console.log(
    troubles === 0
      ? `Tests fail without each of the ${chosen.length} guards.`
      : `${troubles} times the tests did not show that they depend on a guard.`,
  )
  return troubles === 0
}
