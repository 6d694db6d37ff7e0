/**
 * Runs work that may hang, with a limit on how long anything waits for it. The work has a separate fiber, so that even
 * work that cannot be interrupted does not delay the end of a call.
 */
import { Cause, Deferred, Effect, Exit, type Duration, type Fiber } from "effect"

/** Runs one step of cleaning up, also in an uninterruptible region; a step that hangs or fails becomes a warning. */
export const bounded =
  (limit: Duration.Input, what: string) =>
  <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<Exit.Exit<A, E> | null>()
      const working = yield* Effect.forkDetach(
        Effect.flatMap(Effect.exit(step), (exit) => Deferred.succeed(ended, exit)),
        { startImmediately: true },
      )
      // Most steps are done at this point and need no timer.
      const isDone = yield* Deferred.isDone(ended)
      const waiting = isDone ? null : yield* Effect.forkDetach(Effect.delay(Deferred.succeed(ended, null), limit))
      const exit = yield* Deferred.await(ended)
      waiting?.interruptUnsafe()
      if (exit === null) {
        working.interruptUnsafe()
        yield* Effect.logWarning("step of ending a call timed out; continuing without it").pipe(
          Effect.annotateLogs({ what }),
        )
      } else if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
        yield* Effect.annotateLogs(Effect.logWarning("step of ending a call failed", exit.cause), { what })
      }
    })

export interface Workers {
  /** Starts the work in its own fiber. Earlier work of the same name is stopped. */
  readonly run: <R>(name: string, work: Effect.Effect<void, never, R>) => Effect.Effect<void, never, R>
  /** Interrupts the work of this name without waiting for its end. */
  readonly stop: (name: string) => Effect.Effect<void>
  readonly stopAll: Effect.Effect<void>
}

/** Work for one call, by name. */
export const makeWorkers = (): Workers => {
  const fibers = new Map<string, Fiber.Fiber<void>>()
  const stop = (name: string) =>
    Effect.sync(() => {
      fibers.get(name)?.interruptUnsafe()
      fibers.delete(name)
    })
  return {
    run: Effect.fnUntraced(function* (name, work) {
      yield* stop(name)
      const fiber = yield* Effect.forkDetach(work)
      fibers.set(name, fiber)
      fiber.addObserver(() => {
        if (fibers.get(name) === fiber) fibers.delete(name)
      })
    }),
    stop,
    stopAll: Effect.suspend(() => Effect.forEach([...fibers.keys()], stop, { discard: true })),
  }
}
