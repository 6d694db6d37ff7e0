import { assert, describe, it } from "@effect/vitest"
import { BeepDetector } from "../../src/speech/BeepDetector.ts"
import { toneOf } from "../../src/speech/Tone.ts"
import { mixed, quiet, type Sound, talking, white } from "../support/Sounds.ts"

const rate = 16_000
const frameSamples = rate / 50

const tone = (ms: number, hz: number, levelDb: number): Sound => {
  const amplitude = 32_768 * 10 ** (levelDb / 20) * Math.SQRT2
  return Int16Array.from(
    { length: (rate * ms) / 1_000 },
    (_, at) => amplitude * Math.sin((2 * Math.PI * hz * at) / rate),
  )
}
const joined = (...sounds: ReadonlyArray<Sound>): Sound => {
  const all = new Int16Array(sounds.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const sound of sounds) {
    all.set(sound, at)
    at += sound.length
  }
  return all
}

/** Milliseconds at which a beep was told. */
const beepsIn = (sound: Sound): ReadonlyArray<number> => {
  const detector = new BeepDetector()
  const told: Array<number> = []
  for (let at = 0; at + frameSamples <= sound.length; at += frameSamples) {
    if (detector.hear(toneOf(sound.subarray(at, at + frameSamples), rate)))
      told.push(((at + frameSamples) / rate) * 1_000)
  }
  return told
}

const second = white(1_000, -70)

describe("the tone of a machine", () => {
  for (const hz of [400, 440, 620, 1_000, 1_400, 2_100, 2_500]) {
    for (const ms of [160, 400, 1_000, 2_400]) {
      it(`of ${hz} Hz for ${ms} ms is heard once, within 200 ms of its end, in noise 15 dB below it`, () => {
        const beep = mixed(quiet(1_000, tone(ms, hz, -20)), white(3_000 + ms, -35))
        const told = beepsIn(beep)
        assert.strictEqual(told.length, 1, told.join(", "))
        assert.isAbove(told[0] ?? 0, 1_000 + ms)
        assert.isBelow(told[0] ?? 0, 1_200 + ms)
      })
    }
  }

  it.each([
    ["a voice", talking(6_000, [{ from: 500, to: 5_500 }], -20)],
    ["noise", white(6_000, -20)],
    ["silence", new Int16Array(rate * 2)],
    ["a pressed key: two tones at once", joined(second, mixed(tone(300, 697, -20), tone(300, 1_209, -20)), second)],
    ["a click", joined(second, tone(60, 1_000, -20), second)],
    ["a tone that lasts: a fax, or a dial tone", joined(second, tone(4_000, 2_100, -20), second)],
    ["a melody", joined(second, ...[523, 587, 659, 698, 784].map((hz) => tone(300, hz, -20)), talking(1_000, [], -20))],
    ["a tone too quiet to be meant", joined(second, tone(400, 1_000, -45), second)],
  ])("is not %s", (_, sound) => {
    const last = beepsIn(sound)
    assert.deepStrictEqual(last, [])
  })
})
