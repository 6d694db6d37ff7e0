import { assert, describe, it } from "@effect/vitest"
import { SileroLine, windowMs } from "../../../src/speech/detection/SileroLine.ts"
import { SileroDetector } from "../../../src/speech/detection/SileroDetector.ts"
import { mixed, type Sound, talking, white } from "../../support/Sounds.ts"

const frameSamples = 320

/** The model's opinion of the window that begins at a time, and how long after the window's end it is known. */
interface Model {
  readonly thinks: (from_ms: number) => number
  /** Null: never. */
  readonly lateMs: (at: number) => number | null
}
const always = { lateMs: () => 20 }
const between = (from: number, to: number) => (at: number) => (at >= from && at < to ? 0.9 : 0.02)

/** What a detector says of a sound at 16 kHz, with a model of the test's own. */
const heard = (sound: Sound, { lateMs, thinks }: Model, leastDb?: (at: number) => number) => {
  const line = new SileroLine(16_000, () => {})
  let fallbacks = 0
  const voice = new SileroDetector(line, () => fallbacks++)
  const due: Array<{ readonly at: number; readonly window: number }> = []
  const changes: Array<{ readonly change: "on" | "off"; readonly at: number; readonly began: number }> = []
  const bySilero: Array<number> = []
  for (let from = 0; from + frameSamples <= sound.length; from += frameSamples) {
    const at = from / 16 + 20
    for (const { window } of due.splice(0, due.filter((one) => one.at < at).length)) {
      line.judge({ window, probability: thinks(window * windowMs) })
    }
    const learns = leastDb === undefined
    const change = voice.hear(sound.subarray(from, from + frameSamples), { learns, leastDb: leastDb?.(at) ?? -100 })
    if (change !== null) changes.push({ change, at, began: at - voice.onsetMs })
    if (voice.isBySilero) bySilero.push(at)
    for (let next = line.next(); next !== undefined; next = line.next()) {
      const late = lateMs(at)
      if (late !== null) due.push({ at: (next.number + 1) * windowMs + late, window: next.number })
    }
  }
  return { changes, fallbacks, bySilero }
}

const room = white(6_000, -62)
const saying = (from: number, to: number) => mixed(room, talking(6_000, [{ from, to }], -25))

describe("a voice by the model", () => {
  it("begins with the first window that has voice in it, and knows when that was", () => {
    const { changes } = heard(saying(2_000, 3_000), { ...always, thinks: between(2_000, 3_000) })
    assert.deepStrictEqual(
      changes.map(({ change }) => change),
      ["on", "off"],
    )
    const [on, off] = changes
    assert.isAtMost((on?.at ?? 0) - 2_000, 100)
    assert.approximately(on?.began ?? 0, 2_000, windowMs)
    assert.isAtMost((off?.at ?? 0) - 3_000, 300)
    assert.isAtLeast((off?.at ?? 0) - 3_000, 200)
  })
  it("is not begun by a loud sound that the model takes for none", () => {
    const { changes, fallbacks } = heard(saying(2_000, 3_000), { ...always, thinks: () => 0.05 })
    assert.deepStrictEqual([changes, fallbacks], [[], 0])
  })
  it("goes on in music, as long as the model hears a voice, and ends with it", () => {
    const music = mixed(room, talking(6_000, [{ from: 500, to: 6_000 }], -30))
    const { changes } = heard(music, { ...always, thinks: between(2_000, 3_000) })
    assert.deepStrictEqual(
      changes.map(({ change }) => change),
      ["on", "off"],
    )
    assert.isAtMost((changes[1]?.at ?? 0) - 3_000, 340)
  })
  it("is louder than the possible echo of the agent", () => {
    const model = { ...always, thinks: between(2_000, 4_000) }
    assert.deepStrictEqual(heard(saying(2_000, 4_000), model, () => -15).changes, [])
    const loud = heard(saying(2_000, 4_000), model, () => -40).changes
    assert.deepStrictEqual(
      loud.map(({ change }) => change),
      ["on", "off"],
    )
  })

  const level = (sound: Sound) => heard(sound, { lateMs: () => null, thinks: () => 0 }).changes
  it("is told by the level until the model has judged, and wherever it never does", () => {
    const { bySilero, fallbacks } = heard(saying(2_000, 3_000), { lateMs: () => null, thinks: () => 0 })
    assert.deepStrictEqual([bySilero, fallbacks], [[], 0])
    assert.deepStrictEqual(
      level(saying(2_000, 3_000)).map(({ change }) => change),
      ["on", "off"],
    )
  })
  it("is told by the level 160 ms after the last judgement, and by the model again when it was in time for a second", () => {
    const thinks = () => 0.05
    const stops = (at: number) => (at > 2_000 && at < 4_000 ? null : 20)
    const { bySilero, changes, fallbacks } = heard(saying(2_500, 3_500), { thinks, lateMs: stops })
    assert.strictEqual(fallbacks, 1)
    const gap = bySilero.filter((at) => at > 2_200 && at < 5_000)
    assert.deepStrictEqual(gap, [])
    assert.isAtLeast(bySilero.at(-1) ?? 0, 5_900)
    assert.deepStrictEqual(
      changes.map(({ change }) => change),
      ["on", "off"],
      "the level hears what the model takes for no voice",
    )
  })
  it("ends when the model is back and hears none in what the level took for a voice", () => {
    const noise = mixed(room, talking(6_000, [{ from: 1_500, to: 6_000 }], -25))
    const { changes } = heard(noise, { thinks: () => 0.05, lateMs: (at) => (at > 1_000 && at < 2_500 ? null : 20) })
    assert.deepStrictEqual(
      changes.map(({ change }) => change),
      ["on", "off"],
    )
    assert.isAtMost(changes[1]?.at ?? 0, 2_500 + 1_000 + 200)
  })
  it("loses no more than what was skipped when the model takes every other window", () => {
    const thinks = between(2_000, 3_000)
    const { changes } = heard(saying(2_000, 3_000), {
      thinks,
      lateMs: (at) => (Math.floor(at / 40) % 2 === 0 ? 20 : null),
    })
    assert.deepStrictEqual(
      changes.map(({ change }) => change),
      ["on", "off"],
    )
  })
})

describe("a line of the model", () => {
  it("cuts frames of any length into windows of 32 ms, and skips the oldest when four wait", () => {
    let full = 0
    const line = new SileroLine(8_000, () => full++)
    const sound = Int16Array.from({ length: 256 * 5 }, (_, at) => at)
    for (let from = 0; from < sound.length; from += 100) line.push(sound.subarray(from, from + 100))
    assert.strictEqual(full, 5)
    assert.deepStrictEqual(
      [line.next(), line.next(), line.next(), line.next()].map((window) => [window?.number, window?.samples[0]]),
      [
        [2, 512],
        [3, 768],
        [4, 1_024],
        [undefined, undefined],
      ],
    )
  })
})
