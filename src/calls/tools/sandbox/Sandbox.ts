/**
 * The python sandbox: a fresh process for each call of a tool, taken from a few that were started before. The first
 * call starts the pool, so a server whose accounts have no python tools pays nothing for it.
 */
import { Config, Context, Deferred, Effect, Layer, Queue, type Result } from "effect"
import { ToolFailed } from "../ToolRunner.ts"
import * as Bubblewrap from "./Bubblewrap.ts"
import * as SystemCalls from "./SystemCalls.ts"
import * as Worker from "./Worker.ts"

/** Each is one process that waits (10 MB); twice as many exist, since a filler holds one while the queue is full. */
const waiting = 2
/** Whether it works is asked of a process of its own, which costs some 25 ms. */
const probedEvery = "1 minute"

export class Sandbox extends Context.Service<
  Sandbox,
  {
    /** Why python tools cannot run here; none: they can. */
    readonly fault: Effect.Effect<string | undefined>
    /** At once: how many run at the same moment is the caller's to limit. */
    readonly run: (job: Worker.Job) => Effect.Effect<Worker.Finished, ToolFailed>
  }
>()("calls/tools/sandbox/Sandbox") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const path = yield* Config.String("PATH").pipe(Config.withDefault("/usr/bin:/bin"))
      const python = yield* Config.String("PARLEY_PYTHON").pipe(Config.withDefault("/usr/bin/python3"))
      const command = Bubblewrap.command(path, python)
      const filter = SystemCalls.filter(process.arch)
      if (typeof command === "string") return yield* absent(command)
      if (filter === undefined) return yield* absent(`no filter of system calls is known for ${process.arch}`)

      const alive = new Set<Worker.Worker>()
      yield* Effect.addFinalizer(() => Effect.sync(() => alive.forEach((worker) => worker.kill())))
      const start = Effect.uninterruptibleMask((restore) =>
        Effect.tap(restore(Worker.start(command, filter)), (worker) => Effect.sync(() => alive.add(worker))),
      )
      const end = (worker: Worker.Worker) =>
        Effect.sync(() => {
          worker.kill()
          alive.delete(worker)
        })

      /** A start that failed stands in the line too: who takes it is told why, and the next one is tried. */
      const pool = yield* Queue.bounded<Result.Result<Worker.Worker, Worker.WorkerFailed>>(waiting)
      const wanted = yield* Deferred.make<void>()
      yield* Effect.result(start).pipe(
        Effect.flatMap((started) => Queue.offer(pool, started)),
        Effect.forever,
        Effect.replicateEffect(waiting, { concurrency: "unbounded", discard: true }),
        (filling) => Effect.andThen(Deferred.await(wanted), filling),
        Effect.forkScoped,
      )
      /** Skips those that somebody has killed meanwhile. */
      const take: Effect.Effect<Worker.Worker, Worker.WorkerFailed> = Queue.take(pool).pipe(
        Effect.flatMap(Effect.fromResult),
        Effect.flatMap((worker) => (worker.isAlive() ? Effect.succeed(worker) : Effect.andThen(end(worker), take))),
      )

      return {
        fault: yield* Effect.cachedWithTTL(
          Effect.acquireUseRelease(start, () => Effect.void, end).pipe(
            Effect.timeout("10 seconds"),
            Effect.as(undefined),
            Effect.catch(({ message }) => Effect.as(warn(message), message)),
          ),
          probedEvery,
        ),
        run: (job) =>
          Effect.acquireUseRelease(
            Effect.andThen(Deferred.succeed(wanted, undefined), take),
            (worker) => worker.run(job),
            end,
          ).pipe(Effect.catchTag("WorkerFailed", ({ why }) => Effect.andThen(warn(why), unavailable(why)))),
      }
    }),
  )

  static readonly layerAbsent = Layer.succeed(this, {
    fault: Effect.succeed("there is none"),
    run: () => unavailable("there is none"),
  })
}

const warn = (why: string) => Effect.logWarning("python tools cannot run", { why })

const absent = (why: string) =>
  Effect.as(warn(why), Sandbox.of({ fault: Effect.succeed(why), run: () => unavailable(why) }))

/** Python without a sandbox would run bare; it is refused instead. */
const unavailable = (why: string) =>
  new ToolFailed({
    code: "sandbox_unavailable",
    reason: `Python tools cannot run on this installation: ${why}. See "Python tools" in docs/operations.md.`,
  })
