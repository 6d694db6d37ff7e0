import { assert, describe, it } from "@effect/vitest"
import { heardRate, samplesOf } from "../../src/speech/Audio.ts"
import { VoiceActivity } from "../../src/speech/VoiceActivity.ts"
import { Ear } from "../../src/speech/Ear.ts"
import { mixed, quiet, type Sound, talking, white } from "../support/Sounds.ts"

const length = samplesOf(heardRate)

/** What the ear says of a sound, in order; `weSpeak` says how loud we are at a time, null when we are silent. */
const heard = (sound: Sound, weSpeak: (at: number) => number | null = () => null) => {
  const events: Array<{ readonly what: string; readonly at: number; readonly from?: number; readonly ms?: number }> = []
  let now = 0
  let pushed = 0
  const spoken = (what: string) => (from: number, at: number) => {
    events.push({ what, at, from, ms: pushed * 20 })
    pushed = 0
  }
  const ear = new Ear(
    new VoiceActivity(),
    { push: () => void pushed++, finalise: spoken("speech"), discard: () => spoken("nothing")(now, now) },
    {
      started: (at) => events.push({ what: "started", at: now, from: at }),
      ended: (at) => events.push({ what: "ended", at }),
      suspected: () => events.push({ what: "suspected", at: now }),
      cleared: () => events.push({ what: "cleared", at: now }),
    },
    24,
  )
  for (let at = 0; (at + 1) * length <= sound.length; at++) {
    now = (at + 1) * 20
    ear.hear(sound.subarray(at * length, (at + 1) * length), now, weSpeak(now))
  }
  return events
}
const suspicions = ["suspected", "cleared"]
const told = (...of: Parameters<typeof heard>) => heard(...of).filter(({ what }) => !suspicions.includes(what))
const suspected = (...of: Parameters<typeof heard>) => heard(...of).filter(({ what }) => suspicions.includes(what))
const room = white(8_000, -62)
const saying = (from: number, to: number) => mixed(room, talking(8_000, [{ from, to }], -25))

describe("an ear", () => {
  it("tells of speech at once while the agent is silent, and gives the recogniser 400 ms before it", () => {
    const [started, ended, speech] = told(saying(2_000, 3_500))
    assert.deepInclude(started, { what: "started" })
    assert.isAtMost(started?.at ?? 0, 2_140)
    assert.isAtLeast(started?.from ?? 0, 1_980)
    assert.strictEqual(ended?.what, "ended")
    assert.approximately(ended?.at ?? 0, 3_500, 120)
    assert.strictEqual(speech?.what, "speech")
    assert.approximately(speech?.from ?? 0, 2_020, 60)
    // Before it, itself, and what fades out after it.
    assert.approximately(speech?.ms ?? 0, 400 + 1_500 + 120, 120)
  })
  it("lets the agent speak on for 180 ms of voice, and no longer than 240 ms", () => {
    const [started] = told(saying(2_000, 3_500), () => -25)
    assert.strictEqual(started?.what, "started")
    assert.isAtLeast((started?.at ?? 0) - 2_000, 180)
    assert.isAtMost((started?.at ?? 0) - 2_000, 240)
  })
  it("suspects an interruption after 120 ms of voice, before it is told, and until the voice is over", () => {
    const [begun, over, ...more] = suspected(saying(2_000, 3_500), () => -25)
    assert.strictEqual(begun?.what, "suspected")
    assert.isAtLeast((begun?.at ?? 0) - 2_000, 120)
    assert.isAtMost((begun?.at ?? 0) - 2_000, 180)
    assert.strictEqual(over?.what, "cleared")
    assert.approximately(over?.at ?? 0, 3_500, 400)
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual(suspected(saying(2_000, 3_500)), [], "the agent is silent")
  })
  it("does not stop the agent for a cough, which is understood all the same if there are words in it", () => {
    const events = told(saying(2_000, 2_140), () => -25)
    assert.deepStrictEqual(
      events.map(({ what }) => what),
      ["speech"],
    )
  })
  it("takes a click for nothing", () => {
    assert.deepStrictEqual(
      told(mixed(room, quiet(2_000, white(30, -10)))).filter(({ what }) => what === "speech"),
      [],
    )
  })
  it("does not take the agent's own echo for an interruption", () => {
    const echo = mixed(room, talking(8_000, [{ from: 1_000, to: 7_000 }], -42))
    assert.deepStrictEqual(
      told(echo, (at) => (at > 900 && at < 7_100 ? -14 : null)),
      [],
    )
  })
  it("hears who talks over the agent's echo", () => {
    const both = mixed(saying(3_000, 4_500), talking(8_000, [{ from: 1_000, to: 7_000 }], -45))
    const [started] = told(both, (at) => (at > 900 && at < 7_100 ? -14 : null))
    assert.isAtLeast(started?.from ?? 0, 2_980)
    assert.isAtMost((started?.at ?? 0) - 3_000, 320)
  })
  it("has speech without an end recognised in parts of half a minute", () => {
    const on = talking(70_000, [{ from: 1_000, to: 69_000 }], -25)
    const parts = told(mixed(white(70_000, -62), on)).filter(({ what }) => what === "speech")
    assert.strictEqual(parts.length, 3)
    for (const { ms } of parts) assert.isAtMost(ms ?? 0, 30_000)
  })
})
