/** A line over a telephone's sound in memory, with a recogniser and a voice of the test's own, on a clock that it moves. */
import { it } from "@effect/vitest"
import { Effect, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { SpeechRecogniser, Transcript } from "../../src/speech/SpeechToText.ts"
import type { SpeechSynthesiser } from "../../src/speech/TextToSpeech.ts"
import { byLevel } from "../../src/speech/detection/VoiceDetection.ts"
import { MediaClock } from "../../src/telephony/MediaClock.ts"
import * as SoundLine from "../../src/telephony/SoundLine.ts"
import type { LineEvent } from "../../src/telephony/Telephony.ts"
import { MemoryPath } from "./MemoryPath.ts"
import { plainly } from "./ToneLine.ts"

export const rate = 8_000

/** A second of a tone some 16 dB below full scale. */
const second = Int16Array.from({ length: rate }, (_, at) => 5_000 * (-1) ** at)

/** A provider's rates, and the second of sound that it makes of every text. */
export const telephone = { heard: rate, spoken: rate, said: second }

const stagedWith = Effect.fnUntraced(function* ({ heard, said, spoken }: typeof telephone) {
  const results = yield* Queue.unbounded<Transcript>()
  const segments: Array<{ readonly from: number; readonly to: number; readonly frames: number }> = []
  const pushed: Array<Int16Array> = []
  const recogniser: SpeechRecogniser = {
    rates: [heard],
    open: () =>
      Effect.succeed({
        push: (frame) => void pushed.push(frame),
        finalise: (from, to) => void segments.push({ from, to, frames: pushed.length }),
        discard: () => {},
        results: Stream.fromQueue(results),
      }),
  }
  const synthesiser: SpeechSynthesiser = { rates: [spoken], speak: () => Stream.make(said) }
  const path = new MemoryPath()
  const clock = yield* MediaClock
  const line = yield* SoundLine.make(
    { recogniser, synthesiser, clock, detection: byLevel },
    { ...plainly(path), meetsMachines: true },
  )
  const events: Array<LineEvent> = []
  yield* line.attach((event) => void events.push(event))
  const pass = (ms: number) => TestClock.adjust(`${ms} millis`)
  const told = (tag: LineEvent["_tag"]) => events.filter(({ _tag }) => _tag === tag)
  return { path, line, events, told, pass, pushed, results, segments }
})

/** Declares a test of a line. */
export const testLine = (
  name: string,
  body: (stage: Effect.Success<ReturnType<typeof stagedWith>>) => Effect.Effect<void>,
  provider = telephone,
) =>
  it.effect(name, () =>
    stagedWith(provider).pipe(Effect.flatMap(body), Effect.scoped, Effect.provide(MediaClock.layer)),
  )
