import { assert, describe, it } from "@effect/vitest"
import { levelOf } from "../../../src/speech/Audio.ts"
import { Concealment } from "../../../src/telephony/rtp/Concealment.ts"

/** A voice of `pitch` Hz with a few harmonics. */
const voice = (pitch: number, blocks: number) =>
  Array.from({ length: blocks }, (_, block) =>
    Int16Array.from({ length: 80 }, (_, at) => {
      const phase = (2 * Math.PI * pitch * (block * 80 + at)) / 8_000
      return 4_000 * Math.sin(phase) + 2_000 * Math.sin(2 * phase + 1) + 1_000 * Math.sin(3 * phase + 2)
    }),
  )

/** What is heard if the blocks for which `lost` holds do not come. */
const hear = (blocks: ReadonlyArray<Int16Array>, lost: (at: number) => boolean) => {
  const concealment = new Concealment()
  return blocks.map((block, at) => {
    const heard = lost(at) ? new Int16Array(80) : block.slice()
    if (lost(at)) concealment.conceal(heard)
    else concealment.hear(heard, false)
    return heard
  })
}
/** The largest step between two samples. */
const steepest = (blocks: ReadonlyArray<Int16Array>) => {
  const samples = blocks.flatMap((block) => Array.from(block))
  return Math.max(...samples.slice(1).map((sample, at) => Math.abs(sample - (samples[at] ?? 0))))
}

describe("concealment of lost sound", () => {
  it("changes nothing if nothing is lost", () => {
    const sound = voice(120, 20)
    assert.deepStrictEqual(
      hear(sound, () => false),
      sound,
    )
  })
  it.each([70, 95, 120, 150, 190])("continues a voice of %d Hz through a loss of 20 ms, without a click", (pitch) => {
    const sound = voice(pitch, 20)
    const heard = hear(sound, (at) => at === 10 || at === 11)
    assert.closeTo(levelOf(heard[10] ?? new Int16Array(1)), levelOf(sound[10] ?? new Int16Array(1)), 2)
    assert.isAtMost(steepest(heard), 1.5 * steepest(sound))
  })
  it("fades a longer loss, is silent after 60 ms, and comes back without a click", () => {
    const sound = voice(110, 30)
    const heard = hear(sound, (at) => at >= 10 && at < 20)
    const levels = heard.slice(10, 20).map(levelOf)
    levels.slice(1, 6).forEach((level, at) => assert.isBelow(level, levels[at] ?? 0))
    assert.isTrue(heard.slice(16, 20).every((block) => block.every((sample) => sample === 0)))
    assert.isAtMost(steepest(heard), 1.5 * steepest(sound))
    assert.deepStrictEqual(heard.slice(21), sound.slice(21))
  })
  it("joins the sound around a block that is left out", () => {
    const sound = voice(130, 20)
    const concealment = new Concealment()
    const heard = sound.toSpliced(10, 1).map((block, at) => {
      const copy = block.slice()
      concealment.hear(copy, at === 10)
      return copy
    })
    assert.isAtMost(steepest(heard), 1.5 * steepest(sound))
  })
  it("is silent after silence, and before the first packet", () => {
    const silent = hear(
      Array.from({ length: 10 }, () => new Int16Array(80)),
      (at) => at < 2 || at > 6,
    )
    assert.isTrue(silent.every((block) => block.every((sample) => sample === 0)))
  })
})
