import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Option, Stream } from "effect"
import * as Providers from "../../src/speech/Providers.ts"
import { TextToSpeech, type TtsOptions } from "../../src/speech/TextToSpeech.ts"
import { elevenLabsServer, type ElevenLabsStandIn, toneHz } from "../support/ElevenLabsServer.ts"
import { speechServer } from "../support/SpeechServer.ts"
import { joined, shareAt } from "../support/ToneCode.ts"
import { until } from "../support/Until.ts"

const text = "We are open from Monday to Friday."
const ours = { provider: "lab", id: "default", speed: 1 }
const telephone: TtsOptions = { voice: ours, language: "en", rate: 8_000 }

const connected = (env: Record<string, string>) =>
  Providers.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))))

const test = (
  name: string,
  body: (server: ElevenLabsStandIn) => Effect.Effect<void, unknown>,
  env: Record<string, string> = {},
) =>
  it.live(name, () =>
    Effect.flatMap(elevenLabsServer, (server) =>
      Effect.provide(
        body(server),
        connected({ ELEVENLABS_API_KEY: "xi-test", ELEVENLABS_BASE_URL: server.url, ...env }),
      ),
    ),
  )

const speak = (options: TtsOptions = telephone) =>
  Stream.unwrap(Effect.map(TextToSpeech, (there) => Option.getOrThrow(there).speak(text, options)))
const soundOf = (options?: TtsOptions) => Effect.map(Stream.runCollect(speak(options)), (parts) => joined(...parts))

describe("ElevenLabs' voices", () => {
  test("speak at the line's own rate, wherever their bytes are cut", (server) =>
    Effect.gen(function* () {
      for (const rate of [8_000, 16_000, 24_000]) {
        const samples = yield* soundOf({ ...telephone, rate })
        assert.strictEqual(samples.length, rate)
        assert.isAbove(shareAt(toneHz, samples, rate), 0.99)
      }
      assert.deepStrictEqual(
        server.asked.map(({ rate }) => rate),
        [8_000, 16_000, 24_000],
      )
    }))
  test(
    "are the agent's own if it names the provider, else the installation's",
    (server) =>
      Effect.gen(function* () {
        yield* soundOf()
        yield* soundOf({ ...telephone, voice: { provider: "elevenlabs", id: "a/../b", speed: 3 } })
        const [first, second] = server.asked
        assert.deepInclude(first, { voice: "george", key: "xi-test", body: { text, model_id: "eleven_flash_v2_5" } })
        assert.deepInclude(second, { voice: "a/../b" })
        assert.deepStrictEqual(second?.body.voice_settings, { speed: 1.2 })
      }),
    { ELEVENLABS_VOICE: "george" },
  )
  test("stop when the line listens no more", (server) =>
    Effect.gen(function* () {
      yield* speak().pipe(Stream.take(1), Stream.runDrain)
      yield* Effect.promise(() => until(() => server.aborted() === 1))
    }))
  for (const fault of [500, 429, "silent"] as const) {
    test(`are asked once more after ${fault}`, (server) =>
      Effect.gen(function* () {
        server.faults.push(fault)
        assert.strictEqual((yield* soundOf()).length, 8_000)
        assert.lengthOf(server.asked, 2)
      }))
  }
  test("fail a text that they refuse, without its words and without the key", (server) =>
    Effect.gen(function* () {
      server.faults.push(401)
      const failed = yield* Effect.flip(soundOf())
      assert.notMatch(JSON.stringify(failed), /Monday|xi-test/)
      assert.lengthOf(server.asked, 1)
    }))
})

describe("a second voice", () => {
  const withSecond = (
    name: string,
    body: (first: ElevenLabsStandIn, spoken: () => number) => Effect.Effect<void, unknown>,
  ) =>
    it.live(name, () =>
      Effect.gen(function* () {
        const first = yield* elevenLabsServer
        const second = yield* speechServer
        const env = { ELEVENLABS_API_KEY: "xi-test", ELEVENLABS_BASE_URL: first.url, SPEECH_BASE_URL: second.url }
        yield* Effect.provide(
          body(first, () => second.spoken.length),
          connected(env),
        )
      }),
    )

  withSecond("speaks a text that the first one failed, and every text while the first one rests", (first, spoken) =>
    Effect.gen(function* () {
      first.faults.push(401, 401)
      assert.isAbove((yield* soundOf()).length, 8_000)
      assert.deepStrictEqual([first.asked.length, spoken()], [1, 1])
      yield* soundOf()
      assert.deepStrictEqual([first.asked.length, spoken()], [2, 2])
      yield* soundOf()
      assert.deepStrictEqual([first.asked.length, spoken()], [2, 3])
    }),
  )
  withSecond("leaves the first one to other agents where it only refuses one agent's voice", (first, spoken) =>
    Effect.gen(function* () {
      first.faults.push(404, 404, 404)
      for (const _ of [1, 2, 3]) yield* soundOf()
      assert.deepStrictEqual([first.asked.length, spoken()], [3, 3])
      yield* soundOf()
      assert.deepStrictEqual([first.asked.length, spoken()], [4, 3])
    }),
  )
  for (const fault of ["empty", "page"] as const) {
    withSecond(`speaks a text that the first one answered with no sound: ${fault}`, (first, spoken) =>
      Effect.gen(function* () {
        first.faults.push(fault)
        assert.isAbove((yield* soundOf()).length, 8_000)
        assert.strictEqual(spoken(), 1)
      }),
    )
  }
  withSecond("does not begin again with a text whose beginning was heard", (first, spoken) =>
    Effect.gen(function* () {
      first.faults.push("breaks")
      yield* Effect.flip(soundOf())
      assert.strictEqual(spoken(), 0)
    }),
  )
  withSecond("is asked first by an agent that names it", (first, spoken) =>
    Effect.gen(function* () {
      yield* soundOf({ ...telephone, voice: { provider: "openai", id: "coral", speed: 1 } })
      assert.deepStrictEqual([first.asked.length, spoken()], [0, 1])
    }),
  )
})
