/** The clock of sound, advanced by a test, so that both sides of a call keep in step on a busy machine. */
import { Effect, Layer } from "effect"
import { frameMs } from "../../src/speech/Audio.ts"
import { MediaClock } from "../../src/telephony/MediaClock.ts"

export interface SteppedClock {
  readonly layer: Layer.Layer<MediaClock>
  /** Advances every attached line by one frame. */
  readonly step: () => void
}

export const steppedClock = (): SteppedClock => {
  let at = 0
  const ticks = new Set<(due: number) => void>()
  return {
    layer: Layer.succeed(MediaClock, {
      now: () => at,
      attach: (tick) =>
        Effect.acquireRelease(
          Effect.sync(() => ticks.add(tick)),
          () => Effect.sync(() => ticks.delete(tick)),
        ),
    }),
    step: () => {
      at += frameMs
      for (const tick of ticks) tick(at)
    },
  }
}
