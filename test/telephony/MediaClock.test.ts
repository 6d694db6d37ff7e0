import { assert, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { MediaClock } from "../../src/telephony/MediaClock.ts"

it.effect("calls all ticks every 20 ms; a tick that throws is detached, its owner is told, and the others go on", () =>
  Effect.gen(function* () {
    const clock = yield* MediaClock
    const ticks: Array<string> = []
    const breaks = () => {
      ticks.push("breaks")
      throw new Error("no such frame")
    }
    yield* clock.attach(breaks, () => void ticks.push("broken"))
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* clock.attach(
          () => void ticks.push("goes on"),
          () => assert.fail("It is not broken"),
        )
        yield* TestClock.adjust("60 millis")
      }),
    )
    yield* TestClock.adjust("60 millis")
    assert.deepStrictEqual(ticks.slice(0, 3), ["breaks", "broken", "goes on"])
    assert.deepStrictEqual(new Set(ticks.slice(3)), new Set(["goes on"]))
    assert.closeTo(ticks.length, 6, 1)
  }).pipe(Effect.scoped, Effect.provide(MediaClock.layer)),
)

/** The test's clock, whose wall can be set and whose process can stand still, and the ticks of a second. */
const staged = Effect.gen(function* () {
  const test = yield* Clock.Clock
  let step = 0
  let stoodStill = 0
  const wall = () => test.currentTimeMillisUnsafe() + step
  const monotonic = () => test.monotonicTimeNanosUnsafe() + BigInt(stoodStill) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: wall,
    currentTimeMillis: Effect.sync(wall),
    currentTimeNanosUnsafe: () => BigInt(wall()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(wall()) * 1_000_000n),
    monotonicTimeNanosUnsafe: monotonic,
    monotonicTimeNanos: Effect.sync(monotonic),
    sleep: (duration) => test.sleep(duration),
  }
  const ticks: Array<{ readonly at: number; readonly due: number }> = []
  const attach = Effect.gen(function* () {
    const media = Context.get(yield* Layer.build(MediaClock.layer), MediaClock)
    yield* media.attach(
      (due) => void ticks.push({ at: media.now(), due }),
      () => assert.fail("It is not broken"),
    )
    yield* Effect.yieldNow
  }).pipe(Effect.provideService(Clock.Clock, clock))
  return {
    ticks,
    attach,
    stepWall: (ms: number) => void (step += ms),
    standStill: (ms: number) => void (stoodStill += ms),
  }
})

it.effect("a step of the wall clock leaves no gap in the sound", () =>
  Effect.gen(function* () {
    const { attach, stepWall, ticks } = yield* staged
    yield* attach
    yield* TestClock.adjust("200 millis")
    stepWall(-500)
    yield* TestClock.adjust("200 millis")
    stepWall(500)
    yield* TestClock.adjust("200 millis")
    assert.deepStrictEqual(
      ticks.map(({ at }) => at),
      Array.from({ length: 31 }, (_, tick) => tick * 20),
    )
  }).pipe(Effect.scoped),
)

it.effect("after a pause of the process, the clock catches up three frames and skips the rest", () =>
  Effect.gen(function* () {
    const { attach, standStill, ticks } = yield* staged
    yield* attach
    yield* TestClock.adjust("100 millis")
    standStill(400)
    yield* TestClock.adjust("60 millis")
    assert.deepStrictEqual(
      ticks.map(({ due }) => due),
      [0, 20, 40, 60, 80, 100, 120, 460, 480, 500, 520, 540, 560],
    )
  }).pipe(Effect.scoped),
)
