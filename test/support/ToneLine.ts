/** A line over any sound path with stand-ins for speech: words are spoken and recognised as the tones of ToneCode. */
import { Effect, Queue, Stream } from "effect"
import type { SpeechRecogniser, Transcript } from "../../src/speech/SpeechToText.ts"
import type { SpeechSynthesiser } from "../../src/speech/TextToSpeech.ts"
import { byLevel } from "../../src/speech/detection/VoiceDetection.ts"
import { MediaClock } from "../../src/telephony/MediaClock.ts"
import * as SoundLine from "../../src/telephony/SoundLine.ts"
import type { SoundPath } from "../../src/telephony/SoundPath.ts"
import type { LineEvent } from "../../src/telephony/Telephony.ts"
import { heard, joined, spoken } from "./ToneCode.ts"
import { until } from "./Until.ts"

export interface ToneRates {
  readonly heard: number
  readonly spoken: number
}

/** Recognises each stretch of speech when it ends. */
const recogniserAt = (rate: number, results: Queue.Queue<Transcript>): SpeechRecogniser => ({
  rates: [rate],
  open: () => {
    let frames: Array<Int16Array> = []
    return Effect.succeed({
      push: (frame) => void frames.push(frame),
      finalise: (started_ms, ended_ms) => {
        Queue.offerUnsafe(results, { final: true, text: heard(joined(...frames), rate), started_ms, ended_ms })
        frames = []
      },
      discard: () => void (frames = []),
      results: Stream.fromQueue(results),
    })
  },
})

const synthesiserAt = (rate: number): SpeechSynthesiser => ({
  rates: [rate],
  speak: (text) => Stream.make(spoken(text, rate)),
})

/** The settings of a line in English without answering machines. */
export const plainly = (path: SoundPath) => ({
  account: "own",
  path,
  language: "en",
  voice: { provider: "lab", id: "default", speed: 1 },
  first_word_ms: 1_200,
  meetsMachines: false,
  onlooker: null,
})

/** `rates` are those of the stand-ins. The path has its own. */
export const toneLine = Effect.fnUntraced(function* (path: SoundPath, rates: ToneRates) {
  const line = yield* SoundLine.make(
    {
      recogniser: recogniserAt(rates.heard, yield* Queue.unbounded<Transcript>()),
      synthesiser: synthesiserAt(rates.spoken),
      clock: yield* MediaClock,
      detection: byLevel,
    },
    plainly(path),
  )
  const events: Array<LineEvent> = []
  yield* line.attach((event) => void events.push(event))
  /** Waits for the first event of this kind. */
  const event = (tag: LineEvent["_tag"]) => Effect.promise(() => until(() => events.find(({ _tag }) => _tag === tag)))
  return { line, event }
})
