/**
 * Speech over OpenAI's HTTP protocol, which most servers of recognisers and voices speak: a stretch of speech is sent
 * when it is over, and a text is spoken as a stream of samples.
 */
import { Config, Effect, Option, Queue, Redacted, Result, Schema, Stream } from "effect"
import { Agent, type Dispatcher, FormData } from "undici"
import type { Voice } from "../../domain/Agent.ts"
import { frameMs, makeReader, wavOf } from "../Audio.ts"
import { type Listening, type SpeechRecogniser, SttFailed, type SttOptions, type Transcript } from "../SpeechToText.ts"
import { type SpeechSynthesiser, TtsFailed } from "../TextToSpeech.ts"

const settings = Config.all({
  url: Config.option(Config.URL("SPEECH_BASE_URL")),
  key: Config.option(Config.Redacted("SPEECH_API_KEY")),
  recogniser: Config.NonEmptyString("STT_MODEL").pipe(Config.withDefault("gpt-4o-mini-transcribe")),
  speaker: Config.NonEmptyString("TTS_MODEL").pipe(Config.withDefault("gpt-4o-mini-tts")),
  voice: Config.NonEmptyString("TTS_VOICE").pipe(Config.withDefault("alloy")),
})

const openAi = "https://api.openai.com/v1"
/** Agents whose voice names this provider get the voice that they name; all others get the installation's. */
const ownProvider = "openai"

/** A caller waits on the line: the limits for the words of a few seconds, and for the first sound of a sentence. */
const wordsWithinMs = 6_000
const soundWithinMs = 3_000
const connectWithinMs = 3_000
const keptMs = 30_000
/** A WAV file says its own rate. */
const heardRates = [16_000, 8_000] as const
/** The protocol's `pcm` has one rate. */
const spokenRates = [24_000] as const
/** The most stretches of speech that wait to be recognised. More wait only when the server is stuck. */
const mostWaiting = 8
/** The most frames kept of one stretch: half a minute. */
const mostFrames = 32_000 / frameMs
const largestAnswer = 256 * 1_024

interface Server {
  readonly agent: Agent
  readonly base: string
  readonly headers: Record<string, string>
}

/** Speech that waits to be recognised. */
interface Stretch {
  readonly frames: ReadonlyArray<Int16Array>
  readonly started_ms: number
  readonly ended_ms: number
}

const Words = Schema.fromJsonString(Schema.Struct({ text: Schema.String }))
const decodeWords = Schema.decodeUnknownResult(Words)

/** Recogniser and voice, where a server or a key is named. */
export const make = Effect.gen(function* () {
  const found = yield* settings
  if (Option.isNone(found.url) && Option.isNone(found.key)) return Option.none()
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => new Agent({ keepAliveTimeout: keptMs, connect: { timeout: connectWithinMs } })),
    (agent) => Effect.promise(() => agent.destroy()),
  )
  const server: Server = {
    agent,
    base: Option.match(found.url, { onNone: () => openAi, onSome: ({ href }) => href }).replace(/\/+$/u, ""),
    headers: Option.match(found.key, {
      onNone: () => ({}),
      onSome: (key) => ({ authorization: `Bearer ${Redacted.value(key)}` }),
    }),
  }
  const recogniser: SpeechRecogniser = {
    rates: heardRates,
    open: (options) => open(server, found.recogniser, options),
  }
  const synthesiser: SpeechSynthesiser = {
    rates: spokenRates,
    speak: (text, { voice }) => speak(server, requestOf(found, text, voice)),
  }
  return Option.some({ recogniser, synthesiser })
})

type Settings = Config.Success<typeof settings>

const requestOf = ({ speaker, voice }: Settings, input: string, own: Voice) => ({
  model: speaker,
  input,
  voice: own.provider === ownProvider ? own.id : voice,
  response_format: "pcm",
  ...(own.speed === 1 ? {} : { speed: own.speed }),
})

/** Sends a request, and retries once after no answer, or after one that says that the server is at fault or busy. */
const ask = <E>(
  { agent, base, headers }: Server,
  path: string,
  body: () => Pick<Dispatcher.RequestOptions, "body" | "headers">,
  withinMs: number,
  failed: (reason: string) => E,
): Effect.Effect<Dispatcher.ResponseData, E> =>
  Effect.tryPromise({
    try: (signal) => {
      const { body: sent, headers: own } = body()
      const url = new URL(`${base}${path}`)
      return agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: "POST",
        headers: { ...headers, ...(own as Record<string, string> | undefined) },
        body: sent ?? null,
        headersTimeout: withinMs,
        bodyTimeout: withinMs,
        signal,
      })
    },
    // The request contains spoken words and its headers the key, so only the error's name is kept.
    catch: (error) => ({ again: true, reason: error instanceof Error ? error.name : "no answer" }),
  }).pipe(
    Effect.flatMap((response) => {
      const { statusCode: status } = response
      if (status >= 200 && status < 300) return Effect.succeed(response)
      response.body.on("error", () => undefined).destroy()
      return Effect.fail({ again: status >= 500 || status === 429, reason: `the server answered ${status}` })
    }),
    Effect.retry({ times: 1, while: ({ again }) => again }),
    Effect.mapError(({ reason }) => failed(reason)),
  )

const open = Effect.fnUntraced(function* (server: Server, model: string, { language, rate }: SttOptions) {
  const waiting = yield* Queue.sliding<Stretch>(mostWaiting)
  let frames: Array<Int16Array> = []
  const listening: Listening = {
    push: (frame) => {
      frames.push(frame)
      if (frames.length > mostFrames) frames.shift()
    },
    finalise: (started_ms, ended_ms) => {
      Queue.offerUnsafe(waiting, { frames, started_ms, ended_ms })
      frames = []
    },
    discard: () => {
      frames = []
    },
    results: Stream.fromQueue(waiting).pipe(
      Stream.mapEffect(
        ({ frames, ...times }) =>
          transcribe(server, model, language, wavOf(frames, rate)).pipe(
            Effect.catch(({ reason }) =>
              Effect.as(Effect.annotateLogs(Effect.logWarning("speech recognition failed"), { why: reason }), null),
            ),
            Effect.map((text): Transcript => ({ final: true, text, ...times })),
          ),
        { concurrency: 2 },
      ),
    ),
  }
  return listening
})

const transcribe = Effect.fn("SpeechServer.transcribe")(function* (
  server: Server,
  model: string,
  language: string,
  sound: Uint8Array<ArrayBuffer>,
) {
  const failed = (reason: string) => new SttFailed({ reason })
  const body = () => {
    const form = new FormData()
    form.append("file", new Blob([sound], { type: "audio/wav" }), "speech.wav")
    form.append("model", model)
    form.append("response_format", "json")
    form.append("language", language.split("-", 1)[0]?.toLowerCase() ?? "en")
    return { body: form }
  }
  const response = yield* ask(server, "/audio/transcriptions", body, wordsWithinMs, failed)
  const text = yield* textOf(response, failed)
  const words = decodeWords(text)
  if (Result.isFailure(words)) return yield* failed("the server answered no words")
  return words.success.text.trim()
})

const textOf = ({ body }: Dispatcher.ResponseData, failed: (reason: string) => SttFailed) =>
  Stream.fromAsyncIterable<Uint8Array, SttFailed>(body, () => failed("the answer broke off")).pipe(
    Stream.runFold(
      () => Buffer.alloc(0),
      (all, chunk) => (all.length > largestAnswer ? all : Buffer.concat([all, chunk])),
    ),
    Effect.map((bytes) => bytes.toString()),
  )

const speak = (server: Server, request: object): Stream.Stream<Int16Array, TtsFailed> => {
  const failed = (reason: string) => new TtsFailed({ reason })
  const body = () => ({ body: JSON.stringify(request), headers: { "content-type": "application/json" } })
  return Stream.unwrap(
    Effect.gen(function* () {
      const response = yield* ask(server, "/audio/speech", body, soundWithinMs, failed)
      const read = makeReader()
      // A reader that stops early leaves a body that emits an error.
      response.body.on("error", () => undefined)
      return Stream.fromAsyncIterable<Uint8Array, TtsFailed>(response.body, () => failed("the sound broke off")).pipe(
        Stream.map(read),
        Stream.ensuring(Effect.sync(() => void response.body.destroy())),
      )
    }),
  )
}
