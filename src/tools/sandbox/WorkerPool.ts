/**
 * Processes that wait for a job: each run of a tool gets a fresh one, from a few that were started ahead. The first job
 * starts the pool, so an installation without python tools pays nothing.
 */
import { Deferred, Effect, Option, Queue, type Result, type Scope, Semaphore } from "effect"
import type { ToolFailed } from "../ToolRunner.ts"
import * as Worker from "./Worker.ts"

/** One way of isolating a tool. */
export interface Isolation {
  readonly name: "bubblewrap" | "webassembly"
  /** Runs once, before the first process starts. */
  readonly prepare: Effect.Effect<void, Worker.WorkerFailed>
  /** Starts a process that is ready for its one job. */
  readonly start: Effect.Effect<Worker.Worker, Worker.WorkerFailed>
  /** How many processes wait, ready or starting. */
  readonly spare: number
}

export interface WorkerPool {
  /** Starts a process and ends it: succeeds where tools can run. */
  readonly probe: Effect.Effect<void, Worker.WorkerFailed>
  /** Runs a job at once. OwnTools.ts limits how many run at the same time. */
  readonly run: (job: Worker.Job) => Effect.Effect<Worker.Finished, ToolFailed | Worker.WorkerFailed>
}

/** All processes are killed when the scope closes. */
export const make = (isolation: Isolation): Effect.Effect<WorkerPool, never, Scope.Scope> =>
  Effect.gen(function* () {
    const alive = new Set<Worker.Worker>()
    // Node throws some errors of a spawn, such as a lack of memory. They must not end the fibers that fill the pool.
    const safeStart = Effect.catchDefect(
      isolation.start,
      (defect) => new Worker.WorkerFailed({ why: defect instanceof Error ? defect.message : String(defect) }),
    )
    yield* Effect.addFinalizer(() => Effect.sync(() => alive.forEach((worker) => worker.kill())))
    const start = Effect.uninterruptibleMask((restore) =>
      Effect.tap(restore(safeStart), (worker) => Effect.sync(() => alive.add(worker))),
    )
    const end = (worker: Worker.Worker) =>
      Effect.sync(() => {
        worker.kill()
        alive.delete(worker)
      })

    /** A failed start is queued too: the job that takes it reports the reason, and then the next start is tried. */
    const started = yield* Queue.unbounded<Result.Result<Worker.Worker, Worker.WorkerFailed>>()
    const spare = yield* Semaphore.make(isolation.spare)
    const isWanted = yield* Deferred.make<void>()
    yield* Semaphore.take(spare, 1).pipe(
      Effect.andThen(Effect.result(start)),
      Effect.flatMap((result) => Queue.offer(started, result)),
      Effect.forever,
      Effect.replicateEffect(isolation.spare, { concurrency: "unbounded", discard: true }),
      (filling) => Effect.andThen(Deferred.await(isWanted), filling),
      Effect.forkScoped,
    )
    /**
     * Waits for a process, interruptibly, and then takes one, uninterruptibly, so that none is lost between the two.
     * Skips processes that were killed meanwhile.
     */
    const take: Effect.Effect<Worker.Worker, Worker.WorkerFailed> = Effect.uninterruptibleMask((restore) =>
      restore(Queue.peek(started)).pipe(
        Effect.andThen(Queue.poll(started)),
        Effect.flatMap(
          Option.match({
            onNone: () => restore(take),
            onSome: (result) => Effect.andThen(Semaphore.release(spare, 1), Effect.fromResult(result)),
          }),
        ),
        Effect.flatMap((worker) =>
          worker.isAlive() ? Effect.succeed(worker) : Effect.andThen(end(worker), restore(take)),
        ),
      ),
    )
    return {
      probe: Effect.acquireUseRelease(start, () => Effect.void, end),
      run: (job) =>
        Effect.uninterruptibleMask((restore) =>
          restore(Effect.andThen(Deferred.succeed(isWanted, undefined), take)).pipe(
            Effect.flatMap((worker) => Effect.ensuring(restore(worker.run(job)), end(worker))),
          ),
        ),
    }
  })
