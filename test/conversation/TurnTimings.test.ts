/** The stages of a turn, measured on a telephone's line whose recogniser, brain and voice take fixed times. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Brain, type Word } from "../../src/brain/Brain.ts"
import * as CallSession from "../../src/calls/live/CallSession.ts"
import { CallRecord } from "../../src/conversation/CallRecord.ts"
import type { SpeechRecogniser, Transcript } from "../../src/speech/SpeechToText.ts"
import type { SpeechSynthesiser } from "../../src/speech/TextToSpeech.ts"
import { byLevel } from "../../src/speech/detection/VoiceDetection.ts"
import { MediaClock } from "../../src/telephony/MediaClock.ts"
import * as SoundLine from "../../src/telephony/SoundLine.ts"
import { kit } from "../support/Kit.ts"
import { MemoryPath } from "../support/MemoryPath.ts"
import { sessionTo } from "../support/Sessions.ts"
import { talking } from "../support/Sounds.ts"
import { plainly } from "../support/ToneLine.ts"

const rate = 8_000
const frameMs = 20
/** How long each stand-in takes. */
const delayMs = { transcript: 250, token: 300, words: 100, audio: 150 }

/** Understands this after every stretch of speech. */
const recogniserOf = (text: string): SpeechRecogniser => ({
  rates: [rate],
  open: () =>
    Effect.map(Queue.unbounded<Transcript>(), (stretches) => ({
      push: () => {},
      finalise: (started_ms, ended_ms) =>
        void Queue.offerUnsafe(stretches, { final: true, text, started_ms, ended_ms }),
      discard: () => {},
      results: Stream.mapEffect(Stream.fromQueue(stretches), (result) =>
        Effect.delay(Effect.succeed(result), `${delayMs.transcript} millis`),
      ),
    })),
})

const after = (ms: number, word: Word) => Stream.fromEffect(Effect.delay(Effect.succeed(word), `${ms} millis`))
const brain = Layer.succeed(Brain, {
  reply: () =>
    Stream.concat(
      after(delayMs.token, { _tag: "FirstToken" }),
      after(delayMs.words, { _tag: "Say", text: "There is a lot of news today." }),
    ),
})

/** Two seconds of a tone for every text. */
const synthesiser: SpeechSynthesiser = {
  rates: [rate],
  speak: () =>
    Stream.fromEffect(
      Effect.delay(
        Effect.sync(() => Int16Array.from({ length: 2 * rate }, (_, at) => 5_000 * (-1) ** at)),
        `${delayMs.audio} millis`,
      ),
    ),
}

const staged = Effect.gen(function* () {
  const path = new MemoryPath()
  const line = yield* SoundLine.make(
    { recogniser: recogniserOf("What is new?"), synthesiser, clock: yield* MediaClock, detection: byLevel },
    plainly(path),
  )
  const record = new CallRecord()
  const session = sessionTo("+14155550101", kit(), { record })
  yield* Effect.forkScoped(CallSession.talk(session, line).pipe(Effect.provide(brain)))
  const pass = Effect.fnUntraced(function* (ms: number) {
    for (let passed = 0; passed < ms; passed += frameMs) yield* TestClock.adjust(`${frameMs} millis`)
  })
  return { path, pass, record }
})

describe("the timings of a turn", () => {
  it.effect("are the delays of the recogniser, the brain and the voice, and their sum is voice to voice", () =>
    Effect.gen(function* () {
      const { pass, path, record } = yield* staged
      yield* pass(4_000)
      path.say(talking(1_000, [{ from: 0, to: 800 }], -20))
      yield* pass(6_000)
      const [greeting, answer] = record.turns
      assert.deepInclude(greeting?.timings, {
        voice_off_ms: null,
        transcript_ms: null,
        decision_ms: null,
        first_token_ms: null,
        first_words_ms: 0,
        first_audio_ms: delayMs.audio,
        voice_to_voice_ms: null,
        interruption_ms: null,
      })
      const timings = answer?.timings
      assert.deepInclude(timings, {
        transcript_ms: delayMs.transcript,
        first_token_ms: delayMs.token,
        first_words_ms: delayMs.words,
        first_audio_ms: delayMs.audio,
        interruption_ms: null,
      })
      assert.approximately(timings?.voice_off_ms ?? 0, 240, 2 * frameMs)
      assert.isAtMost(timings?.first_frame_ms ?? Infinity, frameMs)
      const { interruption_ms: _, voice_to_voice_ms, ...stages } = timings ?? {}
      assert.strictEqual(
        voice_to_voice_ms,
        Object.values(stages).reduce<number>((sum, ms) => sum + (ms ?? 0), 0),
      )
    }).pipe(Effect.scoped, Effect.provide(MediaClock.layer)),
  )

  it.effect("tell how long after the beginning of an interruption the agent was silent", () =>
    Effect.gen(function* () {
      const { pass, path, record } = yield* staged
      yield* pass(2_000)
      path.say(talking(2_000, [{ from: 0, to: 1_500 }], -20))
      yield* pass(3_000)
      const [greeting] = record.turns
      assert.isTrue(greeting?.interrupted)
      assert.approximately(greeting?.timings?.interruption_ms ?? 0, 260, 3 * frameMs)
      const spoken = path.sent.map((frame) => frame !== null)
      const silentFrom = spoken.findIndex((isSpoken, at) => at > 100 && !isSpoken)
      assert.approximately((silentFrom + 1) * frameMs - 2_000, greeting?.timings?.interruption_ms ?? 0, 3 * frameMs)
    }).pipe(Effect.scoped, Effect.provide(MediaClock.layer)),
  )
})
