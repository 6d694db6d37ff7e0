/**
 * The one clock of all sound in this process: every 20 ms, drift corrected, it calls every attached tick. It is
 * monotonic, so a step of the wall clock changes nothing. Ticks are plain code, since an effect for each frame of each
 * call would be most of the process's work.
 */
import { Clock, Context, Effect, Latch, Layer, type Scope } from "effect"
import { frameMs } from "../speech/Audio.ts"

/** A late clock catches up at most three frames and skips the rest. */
const latestMs = 60
const nanosPerMs = 1_000_000

export class MediaClock extends Context.Service<
  MediaClock,
  {
    /** Monotonic milliseconds since some moment before the first call. */
    readonly now: () => number
    /**
     * Calls `tick` until the scope closes, with the moment at which the tick was due. Successive moments are 20 ms
     * apart unless the clock skipped time. If a tick throws, the clock detaches it and tells its owner.
     */
    readonly attach: (tick: (due: number) => void, broken: () => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("telephony/MediaClock") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const now = () => Number(clock.monotonicTimeNanosUnsafe()) / nanosPerMs
      const ticks = new Map<(due: number) => void, () => void>()
      const wanted = Latch.makeUnsafe(false)
      const beat = (due: number) =>
        Effect.suspend(() => {
          const faults: Array<unknown> = []
          for (const [tick, broken] of ticks) {
            try {
              tick(due)
            } catch (fault) {
              ticks.delete(tick)
              broken()
              faults.push(fault)
            }
          }
          return Effect.forEach(faults, (fault) => Effect.logError("call audio failed", fault), { discard: true })
        })
      const run = Effect.gen(function* () {
        let due = now()
        while (true) {
          if (ticks.size === 0) {
            wanted.closeUnsafe()
            yield* wanted.await
            due = now()
          }
          yield* beat(due)
          const after = now()
          due = Math.max(due + frameMs, after - latestMs)
          yield* due > after ? Effect.sleep(due - after) : Effect.yieldNow
        }
      })
      yield* Effect.forkScoped(run)
      return {
        now,
        attach: (tick, broken) =>
          Effect.acquireRelease(
            Effect.sync(() => {
              ticks.set(tick, broken)
              wanted.openUnsafe()
            }),
            () => Effect.sync(() => void ticks.delete(tick)),
          ),
      }
    }),
  )
}
