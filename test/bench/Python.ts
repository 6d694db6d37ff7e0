/**
 * The time of a Python tool's call in each sandbox: the first of an installation, and one with a process waiting; and
 * the memory of a waiting process.
 */
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { ms, percentile, whole } from "./support/Numbers.ts"
import * as Parley from "./support/Parley.ts"
import * as Postgres from "./support/Postgres.ts"
import { heading, machine, note, table } from "./support/Report.ts"

/** Shared, since both servers use one platform database. */
const key = randomBytes(32).toString("base64")

export const run = async (args: Array<string>) => {
  const { values } = parseArgs({ args, options: { calls: { type: "string", default: "40" } } })
  const postgres = await Postgres.start()
  const rows: Array<ReadonlyArray<string>> = []
  for (const kind of ["bubblewrap", "webassembly"])
    rows.push([kind, ...(await measure(postgres, kind, Number(values.calls)))])
  heading("Python tools by sandbox")
  table(["sandbox", "first call", "with a process waiting, p50", "p99", "private memory of one that waits"], rows)
  machine()
  note("Over HTTP from another process. The first call starts the pool, and on WebAssembly makes the snapshot.")
}

const measure = async (postgres: Postgres.Postgres, kind: string, calls: number) => {
  const parley = await Parley.start(postgres, {
    env: { PARLEY_PYTHON_SANDBOX: kind, PARLEY_ENCRYPTION_KEY: key },
  })
  const owner = await parley.account(`python-${kind}`)
  const { name } = await owner.request("POST", "/api/tools", {
    name: "sum",
    description: "Adds two numbers.",
    implementation_type: "python",
    implementation_code: "def run(arguments, context):\n    return arguments['a'] + 1\n",
  })
  /** Repeats until there is a result: on a busy machine the first call is told to try again. */
  const invoke = async (a: number) => {
    const began = performance.now()
    for (;;) {
      const { error, result } = await owner.request("POST", `/api/tools/${name}/invoke`, { arguments: { a } })
      if (result === a + 1) return performance.now() - began
      if (!error?.message.includes("being prepared")) throw new Error(`sum gave ${JSON.stringify(error)}`)
    }
  }
  const first = await invoke(0)
  const warm: Array<number> = []
  for (let a = 0; a < calls; a++) {
    // Time for another process to start and wait.
    await sleep(2_000)
    warm.push(await invoke(a))
  }
  await sleep(3_000)
  const memory = percentile(waitingOf(parley.pid).map(privateMemory), 0.5)
  await parley.stop()
  return [ms(first), ms(percentile(warm, 0.5)), ms(percentile(warm, 0.99)), `${whole(memory / 1024)} MB`]
}

/** The innermost processes below the server: under bubblewrap, Python is a grandchild. */
const waitingOf = (pid: number): ReadonlyArray<number> => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean)
    .map(Number)
  return children.flatMap((child) => {
    const inner = waitingOf(child)
    return inner.length === 0 ? [child] : inner
  })
}

/** Private memory of a process in KiB. */
const privateMemory = (pid: number): number =>
  [...readFileSync(`/proc/${pid}/smaps_rollup`, "utf8").matchAll(/^Private_(?:Clean|Dirty):\s+(\d+)/gmu)].reduce(
    (sum, [, size]) => sum + Number(size),
    0,
  )
