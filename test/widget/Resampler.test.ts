import { assert, describe, it } from "@effect/vitest"
import { Resampler } from "../../apps/widget/sound/Resampler.ts"
import { shareAt } from "../support/ToneCode.ts"

const tone = (hz: number, rate: number, seconds = 1) =>
  Float32Array.from({ length: rate * seconds }, (_, at) => 0.5 * Math.sin((2 * Math.PI * hz * at) / rate))

/** In blocks of 128, as a browser gives them. */
const resampled = (sound: Float32Array, from: number, to = 16_000) => {
  const resampler = new Resampler(from, to)
  const all: Array<number> = []
  for (let at = 0; at < sound.length; at += 128) all.push(...resampler.take(sound.subarray(at, at + 128)))
  return all
}
const powerOf = (samples: ReadonlyArray<number>) => samples.reduce((sum, one) => sum + one * one, 0) / samples.length
const db = (ratio: number) => 10 * Math.log10(ratio)

describe.each([48_000, 44_100, 32_000, 16_000, 8_000, 96_000])("a microphone at %d samples a second", (rate) => {
  it("comes out at 16,000", () => {
    assert.approximately(resampled(tone(440, rate), rate).length, 16_000, 60)
  })
  it.each([200, 1_000, 3_000])("keeps a tone of %d Hz as loud and as high as it was", (hz) => {
    const samples = resampled(tone(hz, rate), rate).slice(1_000, 15_000)
    assert.isAbove(shareAt(hz, samples, 16_000), 0.999)
    assert.approximately(db(powerOf(samples) / 0.125), 0, 0.2)
  })
})

it.each([9_000, 11_000, 15_000])("what is too high for speech, %d Hz, does not fold back into it", (hz) => {
  const samples = resampled(tone(hz, 48_000), 48_000).slice(1_000, 15_000)
  assert.isBelow(db(powerOf(samples) / 0.125), -45)
})
