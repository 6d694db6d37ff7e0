/**
 * The program of a worker process: it does one job after the other and answers. It has no secret, no database and no
 * clock.
 */
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { Budget, isOutOfSteps } from "./Budget.ts"
import type { Question, Reply } from "./Job.ts"

const reply = (message: Reply) => process.send?.(message)

/** Here it is the clock that ends the work, from outside. */
const unlimited = new Budget(Number.POSITIVE_INFINITY)

const answer = async ({ input, module, name }: Question): Promise<Reply> => {
  const work = (await import(module))[name]
  reply({ kind: "begun" })
  try {
    return { kind: "done", result: JSON.stringify(await work(JSON.parse(input), unlimited)) }
  } catch (cause) {
    if (isOutOfSteps(cause)) return { kind: "overrun" }
    return { kind: "failed", reason: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) }
  }
}

/**
 * A killed server cannot end a job, and a job may run for ever: a thread, which runs beside it, notices that the parent
 * is gone.
 */
const endWithParent = `
  const parent = process.ppid
  setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGKILL"), 1_000)
`
const watcher = new Worker(endWithParent, { eval: true, execArgv: [] })
watcher.unref()
// A service manager signals every process of the group; the server still needs this one while it drains.
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => {})
process.on("disconnect", () => process.exit())
// A job that held this thread before the watcher runs would keep it from starting.
await once(watcher, "online")
process.on("message", (question: Question) => void answer(question).then(reply))
