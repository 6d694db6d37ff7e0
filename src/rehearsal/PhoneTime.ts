/**
 * The clock of a simulated call. It stops while there is work, and jumps to the next due sleep when there is none. As a
 * result, a minute of silence takes no time, a busy machine causes no silences, and a call takes the same seconds every
 * time.
 */
import { Clock, Duration, Effect } from "effect"
import * as Offload from "../offload/Offload.ts"

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

/** Ticks of the event loop after which a woken fiber has done its work and sleeps again. */
const settled = 8

export interface PhoneTime {
  /** Runs an effect by this clock, and drives the clock. */
  readonly within: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Runs work in real time, such as a model's answer. The simulated clock stands still meanwhile. */
  readonly outside: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** A clock that stands still until `advance` moves it to the next due sleep. */
const makeClock = (start: number): { readonly clock: Clock.Clock; readonly advance: () => void } => {
  const sleepers = new Set<Sleeper>()
  let now = start
  const nanos = () => BigInt(now) * 1_000_000n

  const sleep = (duration: Duration.Duration): Effect.Effect<void> => {
    const millis = Duration.toMillis(duration)
    if (millis <= 0) return Effect.yieldNow
    return Effect.callback((resume) => {
      const sleeper: Sleeper = { at: now + Math.ceil(millis), wake: () => resume(Effect.void) }
      if (Number.isFinite(millis)) sleepers.add(sleeper)
      return Effect.sync(() => void sleepers.delete(sleeper))
    })
  }
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep,
  }

  const advance = () => {
    const next = Math.min(...[...sleepers].map(({ at }) => at))
    if (!Number.isFinite(next)) return
    now = Math.max(now, next)
    for (const sleeper of sleepers) {
      if (sleeper.at > now) continue
      sleepers.delete(sleeper)
      sleeper.wake()
    }
  }
  return { clock, advance }
}

export const make = Effect.map(Clock.Clock, (real): PhoneTime => {
  const { advance, clock } = makeClock(real.currentTimeMillisUnsafe())
  let working = 0
  const drive = Effect.gen(function* () {
    let quiet = 0
    while (true) {
      yield* Effect.yieldNow
      quiet = working === 0 ? quiet + 1 : 0
      // Work in real time is going on: poll slowly.
      if (working > 0) yield* real.sleep(Duration.millis(1))
      if (quiet < settled) continue
      quiet = 0
      advance()
    }
  })

  const outside: PhoneTime["outside"] = (effect) =>
    Effect.acquireUseRelease(
      Effect.sync(() => void working++),
      () => Effect.provideService(effect, Clock.Clock, real),
      () => Effect.sync(() => void working--),
    )
  return {
    within: (effect) =>
      effect.pipe(
        Effect.provideService(Clock.Clock, clock),
        Effect.provideService(Offload.Waiting, outside),
        Effect.raceFirst(drive),
      ),
    outside,
  }
})

/** Real time, for a call in which a language model takes part. */
export const real: PhoneTime = { within: (effect) => effect, outside: (effect) => effect }
