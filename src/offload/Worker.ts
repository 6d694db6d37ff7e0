/**
 * The program of a worker process: it does one job after another and replies. It has no secret, no database and no
 * clock.
 */
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { Budget, isOutOfSteps } from "./Budget.ts"
import type { Question, Reply } from "./Job.ts"

const reply = (message: Reply) => process.send?.(message)

/** In a worker, the parent's deadline ends the work instead of a count of steps. */
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
 * A server that is killed cannot end its workers' jobs, and a job may run for ever. This thread runs beside the job and
 * kills the process within a second of the parent's end.
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
// Wait for the watcher first: a job that holds this thread would keep it from starting.
await once(watcher, "online")
process.on("message", (question: Question) => void answer(question).then(reply))
