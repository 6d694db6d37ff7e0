/**
 * The one clock of all sound in this process: every 20 ms, drift corrected, it calls every attached tick. Ticks are
 * plain code, since an effect for each frame of each call would be most of the process's work.
 */
import { Clock, Context, Effect, Latch, Layer, type Scope } from "effect"
import { frameMs } from "../speech/Audio.ts"

/** When it is late by more than this, the lost time is skipped. */
const latestMs = 60

export class MediaClock extends Context.Service<
  MediaClock,
  {
    /** Calls `tick` until the scope closes. A tick that throws is detached, and its owner is told. */
    readonly attach: (tick: () => void, broken: () => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("telephony/MediaClock") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const ticks = new Map<() => void, () => void>()
      const wanted = Latch.makeUnsafe(false)
      const beat = Effect.suspend(() => {
        const faults = [...ticks].flatMap(([tick, broken]) => {
          try {
            tick()
            return []
          } catch (fault) {
            ticks.delete(tick)
            broken()
            return [fault]
          }
        })
        return Effect.forEach(faults, (fault) => Effect.logError("call audio failed", fault), { discard: true })
      })
      const run = Effect.gen(function* () {
        let due = yield* Clock.currentTimeMillis
        while (true) {
          if (ticks.size === 0) {
            wanted.closeUnsafe()
            yield* wanted.await
            due = yield* Clock.currentTimeMillis
          }
          yield* beat
          const now = yield* Clock.currentTimeMillis
          due = Math.max(due + frameMs, now - latestMs)
          yield* due > now ? Effect.sleep(due - now) : Effect.yieldNow
        }
      })
      yield* Effect.forkScoped(run)
      return {
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
