import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Option, Stream } from "effect"
import * as Providers from "../../src/speech/Providers.ts"
import { SpeechToText, type Transcript } from "../../src/speech/SpeechToText.ts"
import { deepgramServer, type DeepgramStandIn } from "../support/DeepgramServer.ts"
import { itInRealTime } from "../support/RealTime.ts"
import { speechServer } from "../support/SpeechServer.ts"
import { joined, silence, spoken } from "../support/ToneCode.ts"
import { until } from "../support/Until.ts"

const telephoneRate = 8_000
const key = "dg-test"

interface Stage {
  readonly server: DeepgramStandIn
  readonly results: Array<Transcript>
  readonly finals: () => ReadonlyArray<string | null>
  /** Pushes these words; the stretch goes on. */
  readonly say: (words: string) => void
  readonly finalise: () => void
  readonly discard: () => void
  /** Waits for this many final results. */
  readonly finalsOf: (count: number) => Effect.Effect<ReadonlyArray<string | null>>
  readonly met: (isMet: () => boolean) => Effect.Effect<void>
}

const staged = (server: DeepgramStandIn, rate: number = telephoneRate) =>
  Effect.gen(function* () {
    const frameLength = rate / 50
    const listening = yield* Option.getOrThrow(yield* SpeechToText).open({ language: "en-GB", rate })
    const results: Array<Transcript> = []
    yield* Effect.forkScoped(Stream.runForEach(listening.results, (result) => Effect.sync(() => results.push(result))))
    const finals = () => results.filter((result) => result.final).map(({ text }) => text)
    const met = (isMet: () => boolean) => Effect.promise(() => until(isMet))
    let stretches = 0
    const stage: Stage = {
      server,
      results,
      finals,
      say: (words) => {
        const sound = joined(silence(100, rate), spoken(words, rate))
        for (let at = 0; at + frameLength <= sound.length; at += frameLength)
          listening.push(sound.subarray(at, at + frameLength))
      },
      finalise: () => listening.finalise(stretches * 1_000, stretches++ * 1_000 + 500),
      discard: () => listening.discard(),
      finalsOf: (count) =>
        Effect.map(
          met(() => finals().length >= count),
          finals,
        ),
      met,
    }
    return stage
  })

/** In real time: on a busy machine the stand-in may be as late as a server that is given up. */
const test = (
  name: string,
  body: (stage: Stage) => Effect.Effect<void>,
  faults: DeepgramStandIn["faults"] = [],
  rate: number = telephoneRate,
) =>
  itInRealTime(
    name,
    60,
    Effect.gen(function* () {
      const server = yield* deepgramServer
      server.faults.push(...faults)
      const env = ConfigProvider.fromEnvRecord({ DEEPGRAM_API_KEY: key, DEEPGRAM_BASE_URL: server.url })
      const layer = Providers.layer.pipe(Layer.provide(ConfigProvider.layer(env)))
      yield* staged(server, rate).pipe(Effect.flatMap(body), Effect.scoped, Effect.provide(layer))
    }),
  )

const interimOf = (results: ReadonlyArray<Transcript>) => results.filter(({ final }) => !final).map(({ text }) => text)

describe("Deepgram's live recogniser", () => {
  test("tells words while they are spoken, and the final ones when the stretch is over", ({
    finalise,
    met,
    results,
    finalsOf,
    say,
  }) =>
    Effect.gen(function* () {
      say("what are your")
      yield* met(() => interimOf(results).includes("what are your"))
      say("opening hours")
      finalise()
      const [words] = yield* finalsOf(1)
      assert.strictEqual(words?.replaceAll(".", "").toLowerCase(), "what are your opening hours")
      assert.deepInclude(results.at(-1), { final: true, started_ms: 0, ended_ms: 500 })
    }))

  test("keeps the connection open in silence", ({ met, server }) =>
    Effect.gen(function* () {
      yield* met(() => server.messages.includes("KeepAlive"))
      assert.lengthOf(server.opened, 1)
    }))

  test("names the rate, the language and the key", ({ met, server }) =>
    Effect.gen(function* () {
      yield* met(() => server.opened.length > 0)
      const [{ key: sent, query } = { key: undefined, query: {} }] = server.opened
      assert.strictEqual(sent, `Token ${key}`)
      assert.deepInclude(query, {
        encoding: "linear16",
        sample_rate: "8000",
        language: "en",
        model: "nova-3",
        interim_results: "true",
        endpointing: "false",
      })
    }))

  test("keeps stretches apart and in their order, and leaves out what was no speech", ({
    discard,
    finalise,
    finalsOf,
    say,
  }) =>
    Effect.gen(function* () {
      say("hello")
      finalise()
      say("okay")
      discard()
      say("stop")
      finalise()
      assert.deepStrictEqual(yield* finalsOf(2), ["Hello.", "Stop."])
    }))

  test(
    "repeats what had no final words over a new connection",
    ({ finalise, finalsOf, say, server }) =>
      Effect.gen(function* () {
        say("hello please")
        finalise()
        assert.deepStrictEqual(yield* finalsOf(1), ["Hello please."])
        say("what are your opening hours")
        finalise()
        say("thank you")
        finalise()
        const [, hours, thanks] = yield* finalsOf(3)
        assert.strictEqual(hours?.replaceAll(".", "").toLowerCase(), "what are your opening hours")
        assert.strictEqual(thanks, "Thank you.")
        assert.lengthOf(server.opened, 2)
      }),
    [{ cutAfterMs: 900 }],
  )

  test(
    "replaces a connection that never answers",
    ({ finalise, finalsOf, say, server }) =>
      Effect.gen(function* () {
        say("hello")
        finalise()
        assert.deepStrictEqual(yield* finalsOf(1), ["Hello."])
        assert.lengthOf(server.opened, 2)
      }),
    ["deaf"],
  )

  test(
    "takes the words so far where no final ones come",
    ({ finalise, finalsOf, say, server }) =>
      Effect.gen(function* () {
        say("hello please")
        finalise()
        assert.deepStrictEqual(yield* finalsOf(1), ["hello please"])
        assert.lengthOf(server.opened, 1)
      }),
    ["interim only"],
  )

  test(
    "ignores what it cannot read",
    ({ finalise, finalsOf, say, server }) =>
      Effect.gen(function* () {
        say("hello")
        finalise()
        assert.deepStrictEqual(yield* finalsOf(1), ["Hello."])
        assert.lengthOf(server.opened, 1)
      }),
    ["garbage"],
  )

  test(
    "hears a caller who spoke before it was connected",
    ({ finalise, finalsOf, say, server }) =>
      Effect.gen(function* () {
        say("hello")
        finalise()
        assert.deepStrictEqual(yield* finalsOf(1), ["Hello."])
        assert.lengthOf(server.opened, 3)
      }),
    ["refused", "refused"],
  )

  test(
    "repeats half a minute of speech over one connection",
    ({ finalise, finalsOf, say, server }) =>
      Effect.gen(function* () {
        // Each word has 210 ms, after 100 ms of silence.
        say(Array.from({ length: 70 }, () => "hello please").join(" "))
        finalise()
        yield* finalsOf(1)
        yield* Effect.promise(() => until(() => server.heardMs[0]?.() === 29_500))
        assert.lengthOf(server.heardMs, 1)
      }),
    ["refused"],
    16_000,
  )

  test(
    "tells that words are lost if no connection brings them",
    ({ finalise, finalsOf, say }) =>
      Effect.gen(function* () {
        say("hello")
        finalise()
        assert.deepStrictEqual(yield* finalsOf(1), [null])
      }),
    Array.from({ length: 20 }, () => "refused" as const),
  )

  test(
    "gives speech in a language that it refuses up at once",
    ({ finalise, finalsOf, met, results, say }) =>
      Effect.gen(function* () {
        say("hello")
        finalise()
        assert.deepStrictEqual(yield* finalsOf(1), [null])
        say("please")
        yield* met(() => interimOf(results).includes("please"))
        finalise()
        assert.strictEqual((yield* finalsOf(2))[1], "Please.")
      }),
    ["unknown", "unknown"],
  )

  it.live("recognises what the speech server before it did not", () =>
    Effect.gen(function* () {
      const server = yield* deepgramServer
      const first = yield* speechServer
      first.faults.transcriptions.push(401)
      const env = { DEEPGRAM_API_KEY: key, DEEPGRAM_BASE_URL: server.url, SPEECH_BASE_URL: first.url }
      const settings = ConfigProvider.fromEnvRecord({ ...env, STT_PROVIDERS: "openai, deepgram" })
      const layer = Providers.layer.pipe(Layer.provide(ConfigProvider.layer(settings)))
      yield* Effect.gen(function* () {
        const { finalise, finalsOf, say } = yield* staged(server)
        say("hello")
        finalise()
        say("thank you")
        finalise()
        assert.deepStrictEqual(yield* finalsOf(2), ["Hello.", "Thank you."])
        assert.lengthOf(first.understood, 1)
      }).pipe(Effect.scoped, Effect.provide(layer))
    }),
  )
})
