/** Music for callers who wait: Parley's own, and an operator's file. */
import { assert, describe, it } from "@effect/vitest"
import { levelOf, wavOf } from "../../src/speech/Audio.ts"
import { generated, type Music, musicFrom, readWav } from "../../src/speech/HoldMusic.ts"
import { joined, shareAt, sine } from "../support/ToneCode.ts"

const framesOf = (music: Music, rate: number, from: number, count: number) =>
  joined(...Array.from({ length: count }, (_, at) => music.frame(rate, from + at)))

describe("music for callers who wait", () => {
  it.each([8_000, 16_000, 24_000])("is soft, never clipped, and joins its end to its beginning at %i Hz", (rate) => {
    // Sixteen beats of 600 ms, one and a half times.
    const sound = framesOf(generated, rate, 0, 720)
    const level = levelOf(sound)
    assert.isTrue(level > -36 && level < -18, String(level))
    const steepest = sound.reduce((most, sample, at) => Math.max(most, Math.abs(sample - (sound[at - 1] ?? 0))), 0)
    assert.isBelow(steepest, 4_000)
    assert.deepStrictEqual(generated.frame(rate, 3), generated.frame(rate, 483))
    for (let at = 0; at < 480; at += 24) assert.isAbove(levelOf(framesOf(generated, rate, at, 24)), -45)
  })

  it("is an operator's WAV file at the rate of the line, over and over", () => {
    const music = musicFrom(...toneFile(440, 2, 44_100))
    for (const rate of [8_000, 24_000]) {
      const sound = framesOf(music, rate, 5, 100)
      assert.isAbove(shareAt(440, sound.slice(0, rate), rate), 0.9)
      assert.deepStrictEqual(music.frame(rate, 3), music.frame(rate, 103))
    }
  })

  it("mixes the channels of a file, and finds its sound behind other parts", () => {
    const [samples] = toneFile(440, 1, 8_000)
    const stereo = Buffer.alloc(44 + samples.length * 4)
    Buffer.from(wavOf([samples], 8_000)).copy(stereo, 0, 0, 44)
    stereo.writeUInt16LE(2, 22)
    stereo.writeUInt32LE(samples.length * 4, 40)
    samples.forEach((sample, at) => stereo.writeInt16LE(sample, 44 + at * 4))
    const note = Buffer.concat([Buffer.from("LIST"), Buffer.from([3, 0, 0, 0]), Buffer.from("abc\0")])
    const read = readWav(Buffer.concat([stereo.subarray(0, 36), note, stereo.subarray(36)]))
    assert.deepStrictEqual(
      [...read.samples.slice(0, 50)],
      [...samples.slice(0, 50)].map((one) => Math.round(one / 2)),
    )
  })

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["a text", Buffer.from("hello, this is no sound at all")],
    ["a header alone", Buffer.from(wavOf([], 8_000))],
    ["a rate of a radio", Buffer.from(wavOf([new Int16Array(9_600)], 96_000))],
    ["a header that promises more than there is", Buffer.from(wavOf([new Int16Array(400)], 8_000)).subarray(0, 50)],
  ])("refuses %s", (_, file) => {
    assert.throws(() => readWav(file))
  })
})

const toneFile = (hz: number, seconds: number, rate: number): [Int16Array, number] => {
  const { rate: own, samples } = readWav(Buffer.from(wavOf([sine(hz, seconds * 1_000, rate)], rate)))
  return [samples, own]
}
