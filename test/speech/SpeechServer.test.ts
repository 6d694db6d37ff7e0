import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Option, Stream } from "effect"
import { frameMs, heardRate, samplesOf } from "../../src/speech/Audio.ts"
import * as Providers from "../../src/speech/Providers.ts"
import { SpeechToText } from "../../src/speech/SpeechToText.ts"
import { TextToSpeech } from "../../src/speech/TextToSpeech.ts"
import { speechServer, type SpeechStandIn } from "../support/SpeechServer.ts"
import { shareAt, spoken } from "../support/ToneCode.ts"
import { until } from "../support/Until.ts"

const voice = { provider: "lab", id: "default", speed: 1 }
const text = "We are open from Monday to Friday."

const connected = (env: Record<string, string>) =>
  Providers.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))))

const withServer = (
  name: string,
  body: (server: SpeechStandIn) => Effect.Effect<void, unknown>,
  env: Record<string, string> = {},
) =>
  it.live(name, () =>
    Effect.flatMap(speechServer, (server) =>
      Effect.provide(body(server), connected({ SPEECH_BASE_URL: `${server.url}/`, ...env })),
    ),
  )

const speak = (more: object = {}) =>
  Stream.unwrap(
    Effect.map(TextToSpeech, (there) =>
      Option.getOrThrow(there).speak(text, { voice, language: "en", rate: 24_000, ...more }),
    ),
  )

/** What is understood of these words, each a stretch of speech. */
const understand = (...stretches: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const listening = yield* Option.getOrThrow(yield* SpeechToText).open({ language: "de-AT", rate: heardRate })
    stretches.forEach((words, index) => {
      const sound = spoken(words, heardRate)
      const length = samplesOf(heardRate)
      for (let at = 0; at < sound.length; at += length) listening.push(sound.slice(at, at + length))
      listening.finalise(index * 1_000, index * 1_000 + (sound.length / length) * frameMs)
    })
    const results = yield* listening.results.pipe(Stream.take(stretches.length), Stream.runCollect)
    return results.map((result) => result.text)
  }).pipe(Effect.scoped)

describe("a server of speech", () => {
  it.effect("is nowhere unless it is named", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual([yield* SpeechToText, yield* TextToSpeech], [Option.none(), Option.none()])
    }).pipe(Effect.provide(connected({ STT_MODEL: "ears" }))),
  )
  withServer("speaks a text, sample by sample, wherever its bytes are cut", (server) =>
    Effect.gen(function* () {
      const parts = yield* Stream.runCollect(speak())
      const samples = Int16Array.from(parts.flatMap((part) => [...part]))
      const [{ hz, ms } = { hz: 0, ms: 0 }] = server.spoken
      assert.strictEqual(samples.length, 24 * (ms + 200))
      assert.isAbove(shareAt(hz, samples.subarray(24 * 300), 24_000), 0.99)
      assert.isAbove(parts.length, 3)
    }),
  )
  withServer("is asked for no more speech when no listener is left", (server) =>
    Effect.gen(function* () {
      yield* speak().pipe(Stream.take(1), Stream.runDrain)
      yield* Effect.promise(() => until(() => server.aborted() === 1))
    }),
  )
  withServer(
    "understands stretches in their order, in the language's first part, with the key",
    (server) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* understand("hello", "what are your opening hours", "thank you"), [
          "Hello.",
          "What are your opening hours.",
          "Thank you.",
        ])
        assert.deepInclude(server.understood[0], { language: "de", model: "ears" })
        assert.deepStrictEqual([...server.keys], ["Bearer sk-test"])
      }),
    { SPEECH_API_KEY: "sk-test", STT_MODEL: "ears" },
  )
  for (const fault of [500, 503, 429, "breaks"] as const) {
    withServer(`is asked once more after ${fault}`, (server) =>
      Effect.gen(function* () {
        server.faults.transcriptions.push(fault)
        assert.deepStrictEqual(yield* understand("hello"), ["Hello."])
        server.faults.transcriptions.push(fault, fault)
        assert.deepStrictEqual(yield* understand("hello"), [null])
      }),
    )
  }
  for (const fault of [401, 400, "nonsense", "endless"] as const) {
    withServer(`is not asked again after ${fault}`, (server) =>
      Effect.gen(function* () {
        server.faults.transcriptions.push(fault)
        assert.deepStrictEqual(yield* understand("hello"), [null])
        assert.deepStrictEqual(server.understood, [])
      }),
    )
  }
  withServer("fails a text whose sound breaks off, after what there was of it", (server) =>
    Effect.gen(function* () {
      server.faults.speech.push("breaks")
      let samples = 0
      const failed = yield* speak().pipe(
        Stream.runForEach((part) => Effect.sync(() => void (samples += part.length))),
        Effect.flip,
      )
      assert.propertyVal(failed, "_tag", "TtsFailed")
      assert.isAbove(samples, 0)
    }),
  )
  withServer(
    "says of a failure neither what was said nor with which key",
    (server) =>
      Effect.gen(function* () {
        server.faults.speech.push(400)
        const failed = yield* Effect.flip(Stream.runDrain(speak()))
        assert.notMatch(JSON.stringify(failed), /Monday|sk-test/)
      }),
    { SPEECH_API_KEY: "sk-test" },
  )
})
