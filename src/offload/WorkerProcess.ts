/**
 * One worker process, started when it is first needed and replaced when a job exceeds its time or its memory. A thread
 * would not do: when its heap is full while an array or a map grows, V8 ends the whole process (decision 0023).
 */
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Data, Effect } from "effect"
import type { Question, Reply } from "./Job.ts"
import { killChild } from "./KillChild.ts"
import { programEnvironment } from "./ProgramEnvironment.ts"

/**
 * The time limit for one job, from when its module is loaded. It is much more than honest work takes, since a busy
 * machine slows it.
 */
export const deadlineSeconds = 2

const program = fileURLToPath(new URL("./Worker.ts", import.meta.url))

/**
 * Heap in megabytes: a value of one megabyte takes some 20 as objects. Stack in kilobytes, below Linux's usual 8 MB.
 */
const limits = ["--max-old-space-size=192", "--max-semi-space-size=16", "--stack-size=3900"]

/** The job went beyond its time or its memory. */
export class Overrun extends Data.TaggedError("Overrun")<{ readonly limit: "time" | "memory" }> {}

/** The process ended, or could not start, before it began the job. */
class Lost extends Data.TaggedError("Lost")<{ readonly how: string }> {
  override get message() {
    return `A process for costly work was lost before its job began: ${this.how}`
  }
}

export class WorkerProcess {
  private worker: ChildProcess | undefined

  /**
   * Returns the result as JSON. It takes one job at a time; interrupting the effect stops the job. A job whose process
   * was lost before it began goes to a new process, once: the kernel may have ended an idle one to free memory.
   */
  ask(question: Question): Effect.Effect<string | undefined, Overrun> {
    return this.askOnce(question).pipe(
      Effect.retry({ times: 1, while: (failure) => failure._tag === "Lost" }),
      Effect.catchTag("Lost", Effect.die),
    )
  }

  private askOnce(question: Question): Effect.Effect<string | undefined, Overrun | Lost> {
    return Effect.suspend(() => {
      const worker = (this.worker ??= this.start())
      const begun = Promise.withResolvers<void>()
      const answered = Effect.callback<string | undefined, Overrun | Lost>((resume) => {
        let hasBegun = false
        const listen = (reply: Reply) => {
          if (reply.kind === "begun") {
            hasBegun = true
            begun.resolve()
          } else if (reply.kind === "done") end(Effect.succeed(reply.result))
          else if (reply.kind === "overrun") end(Effect.fail(new Overrun({ limit: "memory" })))
          else end(Effect.die(new Error(`A job failed in its process: ${reply.reason}`)))
        }
        // V8 ends a process whose heap is full, and the kernel ends one when memory runs out.
        const lose = (code: number | null, signal: NodeJS.Signals | null) =>
          end(Effect.fail(hasBegun ? new Overrun({ limit: "memory" }) : new Lost({ how: String(signal ?? code) })))
        const fail = (cause: Error) => end(hasBegun ? Effect.die(cause) : Effect.fail(new Lost({ how: cause.message })))
        const end = (result: Effect.Effect<string | undefined, Overrun | Lost>) => {
          worker.off("message", listen).off("exit", lose).off("error", fail)
          worker.unref()
          begun.resolve()
          resume(result)
        }
        worker.on("message", listen).on("exit", lose).on("error", fail)
        worker.ref()
        worker.send(question)
        return this.stop(worker)
      })
      const overdue = Effect.promise(() => begun.promise).pipe(
        Effect.andThen(Effect.sleep(`${deadlineSeconds} seconds`)),
        Effect.andThen(new Overrun({ limit: "time" })),
      )
      return Effect.raceFirst(answered, overdue)
    })
  }

  /**
   * Starts the process in its own process group, because the Ctrl-C that drains the server must not end it. It does not
   * keep the server's process alive.
   */
  private start(): ChildProcess {
    const worker = fork(program, {
      cwd: "/",
      detached: true,
      env: programEnvironment(),
      execArgv: limits,
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    })
    // An error without a listener ends the server.
    worker.on("error", () => this.forget(worker)).on("exit", () => this.forget(worker))
    worker.unref()
    worker.channel?.unref()
    return worker
  }

  /** Ends the process and waits for its exit: until then it uses a processor. */
  private stop(worker: ChildProcess): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.forget(worker)
      return Effect.callback<void>((resume) => {
        const hasStarted = worker.pid !== undefined
        if (!hasStarted || worker.exitCode !== null || worker.signalCode !== null) return resume(Effect.void)
        worker.once("exit", () => resume(Effect.void))
        killChild(worker)
      })
    })
  }

  private forget(worker: ChildProcess): void {
    if (this.worker === worker) this.worker = undefined
  }
}
