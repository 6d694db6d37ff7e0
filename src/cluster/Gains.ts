/** Signals that this process owns more shards than before. */
import { Effect, Queue } from "effect"
import type { RunnerStorage } from "effect/cluster/RunnerStorage"

export const make = () => {
  const waiting = new Set<Queue.Queue<void>>()
  const tell = () => {
    for (const queue of waiting) Queue.offerUnsafe(queue, undefined)
  }
  return {
    /** A queue of signals. Signals that were not taken yet count as one. */
    signals: Effect.acquireRelease(
      Effect.tap(Queue.sliding<void>(1), (queue) => Effect.sync(() => waiting.add(queue))),
      (queue) => Effect.sync(() => waiting.delete(queue)),
    ),
    /** The same registry, which sends a signal after each acquisition. */
    signalGains: (storage: RunnerStorage["Service"]): RunnerStorage["Service"] => ({
      ...storage,
      acquire: (address, shards) =>
        Effect.tap(storage.acquire(address, shards), (acquired) =>
          // The engine notes the shards when it has the answer, which is before the next tick of the event loop.
          acquired.length === 0 ? Effect.void : Effect.sync(() => void setImmediate(tell)),
        ),
    }),
  }
}
