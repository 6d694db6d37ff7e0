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

/** The tree without the guard; undefined when the guard is not what the table says. */
const without = ({ cuts }: Guard): string | undefined => {
  const folder = mkdtempSync(join(tmpdir(), "parley-guard-"))
  for (const name of copied) cpSync(join(repository, name), join(folder, name), { recursive: true })
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"))
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

const judge = async (folder: string, { suite, tests }: Guard): Promise<Judgement> => {
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
console.log(table.toString())
console.log(
  failures === 0 ? `All ${chosen.length} guards are missed.` : `${failures} of ${chosen.length} guards are not missed.`,
)
process.exitCode = failures === 0 ? 0 : 1
