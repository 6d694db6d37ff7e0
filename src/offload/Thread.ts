/** The thread's side: does one job after the other and answers. It knows no secret, no database and no clock. */
import { parentPort } from "node:worker_threads"
import { Budget, isOutOfSteps } from "./Budget.ts"
import type { Question, Reply } from "./Job.ts"

const reply = (message: Reply) => parentPort?.postMessage(message, [])

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

parentPort?.on("message", (question: Question) => void answer(question).then(reply))
