/** The program of a process for costly work: does one job after the other and answers. It knows no secret, no database and no clock. */
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

/** A server that is killed ends no job, and a job may never end: a thread, which works meanwhile, sees that the parent is gone. */
const endWithParent = `
  const parent = process.ppid
  setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGKILL"), 1_000)
`
const watcher = new Worker(endWithParent, { eval: true, execArgv: [] })
watcher.unref()
// A service manager tells every process of its group to stop; the server still needs this one while it drains.
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => {})
process.on("disconnect", () => process.exit())
// A job that holds this thread before that one works would keep it from starting.
await once(watcher, "online")
process.on("message", (question: Question) => void answer(question).then(reply))
