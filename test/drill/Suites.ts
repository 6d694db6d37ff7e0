/** Drills that are test files. They run as in `npm test`, in the full dose unless `--short`, and must pass whole. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { atLeast, atMost, type Figure } from "./Figure.ts"
import { here } from "./Installation.ts"
import type { Options } from "./Options.ts"

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
}

/** A drill that runs these test files. */
export const of =
  (...files: ReadonlyArray<string>) =>
  async ({ isShort, log }: Options): Promise<ReadonlyArray<Figure>> => {
    const folder = mkdtempSync(join(tmpdir(), "parley-drill-suite-"))
    const report = join(folder, "report.json")
    const vitest = spawn(
      process.execPath,
      [join(here, "node_modules/vitest/vitest.mjs"), "run", "--reporter=json", `--outputFile=${report}`, ...files],
      {
        cwd: here,
        env: { ...process.env, ...(isShort ? {} : { TEST_DOSE: "long" }) },
        stdio: ["ignore", "ignore", "pipe"],
      },
    )
    let said = ""
    vitest.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()))
    const [code] = await once(vitest, "close")
    if (code !== 0) log(said.slice(-2_000))
    const { numFailedTests, numPassedTests, numPendingTests }: Report = JSON.parse(readFileSync(report, "utf8"))
    rmSync(folder, { recursive: true })
    return [
      atLeast("tests that passed", numPassedTests, 1),
      atMost("tests that failed", numFailedTests, 0),
      // A skipped test proves nothing: PostgreSQL's programs are missing.
      atMost("tests that were skipped", numPendingTests, 0),
    ]
  }
