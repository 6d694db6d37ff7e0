/** How long a start takes: the first one ever, later ones, one after a crash, and the demo from nothing. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Child from "./support/Child.ts"
import { median } from "./support/Numbers.ts"
import { heading, machine, note, table } from "./support/Report.ts"

export const run = async (args: Array<string>) => {
  const { values } = parseArgs({ args, options: { rounds: { type: "string", default: "5" } } })
  delete process.env["DATABASE_URL"]

  const first: Array<number> = []
  const next: Array<number> = []
  const afterCrash: Array<number> = []
  for (let round = 0; round < Number(values.rounds); round++) {
    const folder = mkdtempSync(join(tmpdir(), "parley-bench-"))
    const start = () =>
      Child.start("src/main.ts", { env: { PARLEY_DATA_DIR: join(folder, "data"), PORT: "0", LOG_LEVEL: "Warn" } })
    first.push(await readyAfter(await start(), "SIGTERM"))
    next.push(await readyAfter(await start(), "SIGKILL"))
    afterCrash.push(await readyAfter(await start(), "SIGTERM"))
    rmSync(folder, { recursive: true, force: true })
  }

  const seconds = (value: number) => `${(value / 1000).toFixed(2)} s`
  const row = (what: string, target: string, values: ReadonlyArray<number>) => [
    what,
    target,
    seconds(median(values)),
    seconds(Math.max(...values)),
  ]
  heading(`Start: from the spawn to “Parley is ready”, embedded PostgreSQL, ${values.rounds} rounds`)
  table(
    ["start", "target", "median", "slowest"],
    [
      row("first ever, in an empty folder", "8 s", first),
      row("on an initialised folder", "4 s", next),
      row("after kill -9, PostgreSQL still up", "", afterCrash),
    ],
  )
  note(`The demo, from nothing to exit 0: ${seconds(await demonstrate())}.`)
  machine()
}

const readyAfter = async (child: Child.Child, end: "SIGTERM" | "SIGKILL"): Promise<number> => {
  await child.stop(end)
  return child.readyAfterMs
}

const demonstrate = async (): Promise<number> => {
  const began = performance.now()
  const demo = spawn(process.execPath, [join(Child.repository, "examples/demo.ts")], { stdio: "ignore" })
  const [code] = await once(demo, "exit")
  if (code !== 0) throw new Error(`The demo ended with ${code}`)
  return performance.now() - began
}
