import { assert, describe, it } from "@effect/vitest"
import { Resampler } from "../../src/speech/Resampler.ts"
import { joined, shareAt, sine } from "../support/ToneCode.ts"

const amplitude = 0.5
const pairs = [
  [8_000, 16_000],
  [8_000, 24_000],
  [8_000, 48_000],
  [16_000, 8_000],
  [24_000, 8_000],
  [48_000, 8_000],
  [22_050, 8_000],
  [24_000, 16_000],
  [16_000, 24_000],
] as const

/** The sound in blocks of these lengths, one after the other. */
const resample = (sound: Int16Array, from: number, to: number, lengths: ReadonlyArray<number> = [from / 50]) => {
  const resampler = new Resampler(from, to)
  const blocks: Array<Int16Array> = []
  for (let at = 0, count = 0; at < sound.length; count++) {
    const length = lengths[count % lengths.length] ?? 1
    blocks.push(resampler.take(sound.subarray(at, at + length)))
    at += length
  }
  return joined(...blocks)
}

/** Without the filter's first milliseconds. */
const settled = (samples: Int16Array, rate: number) => samples.subarray(rate / 50)

/** The power of a sound, in dB relative to a tone of `amplitude`. */
const powerDb = (samples: Int16Array) => {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
  return 10 * Math.log10(power / ((amplitude * 32_767) ** 2 / 2))
}

describe.each(pairs)("from %d to %d samples a second", (from, to) => {
  const narrower = Math.min(from, to)
  const passing = [0.05, 0.25, 0.5, 0.7, 0.85].map((share) => Math.round((share * narrower) / 2))

  it.each(passing)("keeps a tone of %d Hz within 1 dB, without an image of it", (hz) => {
    const samples = settled(resample(sine(hz, 1_000, from, amplitude), from, to), to)
    assert.approximately(powerDb(samples), 0, 1)
    assert.isAbove(shareAt(hz, samples, to), 0.999)
  })
  it("gives a frame for each frame", () => {
    const resampler = new Resampler(from, to)
    const frames = Array.from({ length: 50 }, () => resampler.take(new Int16Array(from / 50)).length)
    assert.deepStrictEqual(new Set(frames), new Set([to / 50]))
  })
  it("gives the same samples however the sound is cut into blocks", () => {
    const sound = sine(600, 500, from, amplitude)
    const odd = resample(sound, from, to, [1, 7, 160, 2_401, 3])
    assert.deepStrictEqual(odd, resample(sound, from, to))
  })
  it("has no click between frames", () => {
    const hz = 400
    const samples = settled(resample(sine(hz, 1_000, from, amplitude), from, to), to)
    const steepest = amplitude * 32_767 * 2 * Math.sin((Math.PI * hz) / to)
    const steps = samples.subarray(1).map((sample, at) => Math.abs(sample - (samples[at] ?? 0)))
    assert.isAtMost(Math.max(...steps), steepest * 1.02 + 2)
  })
})

describe("sound above half the lower rate", () => {
  const above = [4_000, 4_200, 5_000, 6_500, 7_900]
  it.each(above.flatMap((hz) => [16_000, 24_000, 48_000, 22_050].map((from) => [hz, from] as const)))(
    "%d Hz at %d samples a second is 40 dB weaker at 8,000",
    (hz, from) => {
      const samples = settled(resample(sine(hz, 1_000, from, amplitude), from, 8_000), 8_000)
      assert.isBelow(powerDb(samples), -40)
    },
  )
})

describe("the ends of a sound", () => {
  it("loses nothing of its last milliseconds once it is drained", () => {
    const resampler = new Resampler(24_000, 8_000)
    const block = new Int16Array(480)
    block[479] = 20_000
    const kept = joined(resampler.take(block), resampler.drain())
    const sum = kept.reduce((total, sample) => total + sample, 0)
    assert.approximately(sum, 20_000 / 3, 200)
    assert.deepStrictEqual([...resampler.take(new Int16Array(480))], [...new Int16Array(160)])
  })
  it("clips what is too loud and does not wrap it around", () => {
    const square = Int16Array.from({ length: 8_000 }, (_, at) => (at % 80 < 40 ? 32_767 : -32_768))
    const samples = settled(resample(square, 8_000, 24_000), 24_000)
    const steps = samples.subarray(1).map((sample, at) => Math.abs(sample - (samples[at] ?? 0)))
    assert.isBelow(Math.max(...steps), 32_768)
    assert.strictEqual(Math.max(...samples), 32_767)
  })
  it("passes sound of an equal rate on", () => {
    const sound = sine(600, 100, 16_000)
    assert.deepStrictEqual(new Resampler(16_000, 16_000).take(sound), sound)
  })
})
