import { assert, describe, it } from "@effect/vitest"
import { heardRate, samplesOf } from "../../src/speech/Audio.ts"
import { VoiceActivity } from "../../src/speech/VoiceActivity.ts"
import { type Sound, talking, white, mixed, quiet } from "../support/Sounds.ts"

const length = samplesOf(heardRate)
const framesOf = (sound: Sound) =>
  Array.from({ length: Math.floor(sound.length / length) }, (_, at) => sound.subarray(at * length, (at + 1) * length))

/** Every change, with the milliseconds at which it was known. */
const changesIn = (sound: Sound, learns = true) => {
  const voice = new VoiceActivity()
  return framesOf(sound).flatMap((frame, at) => {
    const change = voice.hear(frame, { learns })
    return change === null ? [] : [{ change, at: (at + 1) * 20 }]
  })
}
const at = (sound: Sound, change: "on" | "off") => changesIn(sound).filter((one) => one.change === change)

describe("voice activity", () => {
  const said = [
    { from: 1_000, to: 2_200 },
    { from: 3_500, to: 4_000 },
    { from: 5_500, to: 8_500 },
  ]
  const speech = (levelDb: number) => talking(10_000, said, levelDb)

  it.each([
    ["in silence", speech(-25), 100, 300],
    ["under white noise 15 dB below", mixed(speech(-25), white(10_000, -40)), 160, 300],
    ["under white noise 10 dB below", mixed(speech(-25), white(10_000, -35)), 200, 300],
    ["softly, in a quiet room", mixed(speech(-38), white(10_000, -62)), 160, 300],
    ["loudly", speech(-8), 100, 340],
  ] as const)("is known %s, at every beginning and end", (_, sound, onset, hangover) => {
    const on = at(sound, "on")
    const off = at(sound, "off")
    assert.deepStrictEqual([on.length, off.length], [said.length, said.length])
    said.forEach(({ from, to }, index) => {
      assert.isAtMost((on[index]?.at ?? 0) - from, onset)
      assert.isAtLeast((on[index]?.at ?? 0) - from, 0)
      assert.isAtMost((off[index]?.at ?? 0) - to, hangover)
      assert.isAtLeast((off[index]?.at ?? 0) - to, 100)
    })
  })

  it.each([-60, -50, -42, -36])("is not found in steady noise of %d dB, once the noise is known", (levelDb) => {
    const later = changesIn(white(12_000, levelDb)).filter(({ at }) => at > 2_500)
    assert.deepStrictEqual(later, [])
  })
  it("never takes a noise that begins for speech that has no end", () => {
    const sound = mixed(quiet(3_000, white(9_000, -38)), quiet(0, white(12_000, -65)))
    const last = changesIn(sound).at(-1)
    assert.strictEqual(last?.change, "off")
    assert.isAtMost(last?.at ?? 0, 3_000 + 2_600)
  })
  it("is heard again after the noise has gone", () => {
    const noisy = mixed(white(5_000, -34), quiet(0, new Int16Array(0)))
    const sound = mixed(noisy, talking(12_000, [{ from: 8_500, to: 9_500 }], -38))
    assert.isTrue(at(sound, "on").some(({ at }) => at >= 8_500 && at <= 8_700))
  })
  it("needs no level: an offset of the microphone is none", () => {
    const sound = Int16Array.from({ length: 16_000 * 3 }, () => 4_000)
    assert.deepStrictEqual(changesIn(sound), [])
  })
  it("learns nothing from what may be its own echo, and is not deaf either", () => {
    const voice = new VoiceActivity()
    for (const frame of framesOf(white(3_000, -60))) voice.hear(frame, { learns: true })
    const before = voice.floorDb
    for (const frame of framesOf(white(3_000, -20))) voice.hear(frame, { learns: false, leastDb: -15 })
    assert.strictEqual(voice.floorDb, before)
    assert.isFalse(voice.isOn)
    for (const frame of framesOf(white(200, -8))) voice.hear(frame, { learns: false, leastDb: -15 })
    assert.isTrue(voice.isOn)
  })
})
