/** The music of a line: how it comes and goes, and what is heard through it. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { levelOf } from "../../src/speech/Audio.ts"
import { generated } from "../../src/speech/HoldMusic.ts"
import { rate, telephone, testLine as test } from "../support/SoundLineStage.ts"
import { talking } from "../support/Sounds.ts"
import { joined, shareAt, sine } from "../support/ToneCode.ts"

const quiet160 = new Int16Array(rate / 50)

/** The largest step from one sample to the next; a click is a step of thousands. */
const steepest = (samples: Int16Array) =>
  samples.reduce((most, sample, at) => Math.max(most, Math.abs(sample - (samples[at - 1] ?? 0))), 0)

describe("the music of a line", () => {
  const tone = { ...telephone, said: sine(400, 600, rate) }
  test(
    "plays music while no voice is heard, which begins and ends without a click",
    ({ line, pass, path }) =>
      Effect.gen(function* () {
        const sentFrom = (from: number) => joined(...path.sent.slice(from).map((frame) => frame ?? quiet160))
        const levelFrom = (from: number) => levelOf(sentFrom(from))
        yield* line.play({ id: 1, text: "One moment.", interruptible: true })
        yield* line.accompany?.(generated) ?? Effect.void
        yield* pass(900)
        // The sentence, and then a pause.
        assert.isBelow(levelFrom(path.sent.length - 5), -90)
        yield* pass(2_500)
        assert.isAbove(levelFrom(path.sent.length - 50), -40)
        const before = path.sent.length
        yield* line.play({ id: 2, text: "Still there?", interruptible: true })
        yield* pass(400)
        // The voice is heard at once, alone.
        assert.isAbove(shareAt(400, sentFrom(before + 3).slice(0, rate / 4), rate), 0.95)
        yield* pass(2_500)
        assert.isAbove(levelFrom(path.sent.length - 25), -40)
        yield* line.accompany?.(null) ?? Effect.void
        yield* pass(200)
        assert.isBelow(levelFrom(path.sent.length - 5), -90)
        assert.isBelow(steepest(sentFrom(0)), steepest(tone.said) + 1_000)
      }),
    tone,
  )

  test("does not take the echo of its music for a voice, and hears a louder voice", ({ line, pass, path, told }) =>
    Effect.gen(function* () {
      yield* line.accompany?.(generated) ?? Effect.void
      yield* pass(2_500)
      path.say(talking(800, [{ from: 0, to: 800 }], -46))
      yield* pass(1_500)
      assert.deepStrictEqual(told("SpeechStarted"), [])
      path.say(talking(800, [{ from: 0, to: 800 }], -20))
      yield* pass(1_500)
      assert.lengthOf(told("SpeechStarted"), 1)
    }))

  test("plays no music within a held sentence, and none for a connected line", ({ line, pass, path }) =>
    Effect.gen(function* () {
      yield* line.accompany?.(generated) ?? Effect.void
      yield* line.play({ id: 1, text: "A long story.", interruptible: true })
      yield* pass(200)
      yield* line.hold
      yield* pass(2_000)
      assert.isTrue(path.sent.slice(-50).every((frame) => frame === null))
      yield* line.cut
      yield* pass(2_000)
      assert.isTrue(path.sent.slice(-20).every((frame) => frame !== null))
      line.patch?.divert({ frame: () => {}, key: () => {}, isTranscribed: false })
      yield* pass(100)
      assert.isNull(path.sent.at(-1))
    }))
})
