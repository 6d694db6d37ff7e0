/** One thread, started when it is first needed and replaced when a job goes beyond its time or its memory. */
import { Data, Effect } from "effect"
import { Worker } from "node:worker_threads"
import type { Question, Reply } from "./Job.ts"

/** Of a whole job, by the wall: a machine that is busy makes honest work slow, so it is much more than that takes. */
export const deadlineSeconds = 2

/** Megabytes. A value of one megabyte is some 20 of them as objects. */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

/** The job went beyond its time or its memory. */
export class Overrun extends Data.TaggedError("Overrun")<{ readonly limit: "time" | "memory" }> {}

export class WorkerThread {
  private worker: Worker | undefined

  /** Answers the result as JSON. One job at a time; one that is interrupted is stopped. */
  ask(question: Question): Effect.Effect<string | undefined, Overrun> {
    return Effect.suspend(() => {
      const worker = (this.worker ??= this.start())
      const begun = Promise.withResolvers<void>()
      const answered = Effect.callback<string | undefined, Overrun>((resume) => {
        const listen = (reply: Reply) => {
          if (reply.kind === "begun") begun.resolve()
          else if (reply.kind === "done") end(Effect.succeed(reply.result))
          else if (reply.kind === "overrun") end(Effect.fail(new Overrun({ limit: "memory" })))
          else end(Effect.die(new Error(`A job failed in its thread: ${reply.reason}`)))
        }
        // Node ends a thread whose heap is full.
        const fail = (cause: NodeJS.ErrnoException) =>
          end(
            cause.code === "ERR_WORKER_OUT_OF_MEMORY"
              ? Effect.fail(new Overrun({ limit: "memory" }))
              : Effect.die(cause),
          )
        const end = (result: Effect.Effect<string | undefined, Overrun>) => {
          worker.off("message", listen).off("error", fail).unref()
          begun.resolve()
          resume(result)
        }
        worker.on("message", listen).on("error", fail).ref()
        worker.postMessage(question, [])
        return this.stop(worker)
      })
      const overdue = Effect.promise(() => begun.promise).pipe(
        Effect.andThen(Effect.sleep(`${deadlineSeconds} seconds`)),
        Effect.andThen(new Overrun({ limit: "time" })),
      )
      return Effect.raceFirst(answered, overdue)
    })
  }

  /** Without the environment, in which secrets are. It keeps no process from ending. */
  private start(): Worker {
    const worker = new Worker(new URL("./Thread.ts", import.meta.url), { resourceLimits, env: {}, execArgv: [] })
    // An error without a listener ends the process.
    worker.on("error", () => this.forget(worker))
    worker.unref()
    return worker
  }

  /** Ends the thread, and waits until it has ended: it uses a processor until then. */
  private stop(worker: Worker): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.forget(worker)
      return Effect.promise(() => worker.terminate())
    })
  }

  private forget(worker: Worker): void {
    if (this.worker === worker) this.worker = undefined
  }
}
