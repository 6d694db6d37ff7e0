import { assert, describe, it } from "@effect/vitest"
import { MachineSounds } from "../../src/speech/MachineSounds.ts"
import { mixed, quiet, type Sound, talking, white } from "../support/Sounds.ts"

const rate = 16_000
const frameSamples = rate / 50

const tone = (ms: number, hz: number, levelDb = -20, phase = 0): Sound =>
  Int16Array.from(
    { length: (rate * ms) / 1_000 },
    (_, at) => 32_768 * 10 ** (levelDb / 20) * Math.SQRT2 * Math.sin((2 * Math.PI * hz * at) / rate + phase),
  )
const joined = (...sounds: ReadonlyArray<Sound>): Sound => Int16Array.from(sounds.flatMap((sound) => [...sound]))
const silence = (ms: number): Sound => white(ms, -70)
const noisy = (sound: Sound): Sound => mixed(sound, white((sound.length / rate) * 1_000, -44))

/** What was told, and when, in milliseconds. */
const toldOf = (sound: Sound) => {
  const machine = new MachineSounds(rate)
  const told: Array<readonly [string, number]> = []
  for (let at = 0; at + frameSamples <= sound.length; at += frameSamples) {
    const heard = machine.hear(sound.subarray(at, at + frameSamples))
    if (heard !== null) told.push([heard, ((at + frameSamples) / rate) * 1_000])
  }
  return told
}
const kindsIn = (sound: Sound) => toldOf(sound).map(([kind]) => kind)

/** 2100 Hz whose phase turns around every 450 ms, as V.8 machines send it. */
const answerTone = joined(...Array.from({ length: 6 }, (_, at) => tone(450, 2_100, -20, at % 2 === 0 ? 0 : Math.PI)))

/** The three tones of E.180, and the variants of North America. */
const threeTones = [
  [950, 1_400, 1_800],
  [914, 1_371, 1_777],
  [985, 1_429, 1_777],
] as const

describe("a fax machine", () => {
  for (const hz of [1_100, 1_080, 1_120, 2_100, 2_085, 2_115]) {
    it(`is known 400 ms after the beginning of its first tone of ${hz} Hz, in noise 24 dB below it`, () => {
      const [first] = toldOf(noisy(quiet(1_000, tone(500, hz))))
      assert.strictEqual(first?.[0], "fax")
      assert.approximately(first?.[1] ?? 0, 1_400, 60)
    })
  }
  it("is known though the phase of its tone turns around", () => {
    assert.strictEqual(kindsIn(joined(silence(500), answerTone))[0], "fax")
  })
  it("that begins after speech is known by the length of its tone", () => {
    const sound = joined(talking(3_000, [{ from: 0, to: 2_500 }], -20), tone(3_200, 2_100))
    assert.deepStrictEqual(kindsIn(sound), ["fax"])
  })
  it.each([1_000, 1_100, 2_100])("is not the beep of %i Hz after a greeting", (hz) => {
    const sound = joined(talking(3_000, [{ from: 0, to: 2_500 }], -20), tone(600, hz), silence(1_000))
    assert.deepStrictEqual(kindsIn(sound), ["beep"])
  })
})

describe("the three tones before an announcement", () => {
  for (const [low, middle, high] of threeTones) {
    for (const ms of [274, 330, 380]) {
      it(`are known: ${low}, ${middle} and ${high} Hz of ${ms} ms, in noise 24 dB below them`, () => {
        const gap = silence(20)
        const sound = joined(silence(600), tone(ms, low), gap, tone(ms, middle), gap, tone(ms, high), silence(800))
        assert.deepStrictEqual(kindsIn(noisy(sound)), ["sit"])
      })
    }
  }
  it.each([
    ["in another order", joined(silence(300), tone(330, 1_800), tone(330, 1_400), tone(330, 950), silence(800))],
    ["two of them", joined(silence(300), tone(330, 950), tone(330, 1_400), silence(1_000))],
    [
      "far apart",
      joined(silence(300), ...[950, 1_400, 1_800].flatMap((hz) => [tone(330, hz), silence(900)]), silence(500)),
    ],
    ["a voice", talking(6_000, [{ from: 500, to: 5_500 }], -20)],
    ["noise", white(6_000, -20)],
  ])("are not %s", (_, sound) => assert.notInclude(kindsIn(sound), "sit"))
})
