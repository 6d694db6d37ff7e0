/**
 * Recogniser and voice over OpenAI's HTTP protocol, which most speech servers support. It sends a stretch of speech
 * when it has ended, and streams the samples of a text.
 */
import { Config, Effect, Option, Queue, Redacted, Result, Schema, Stream } from "effect"
import { type Dispatcher, FormData } from "undici"
import type { Voice } from "../../domain/Agent.ts"
import { frameMs, wavOf } from "../Audio.ts"
import { type Listening, type SpeechRecogniser, SttFailed, type SttOptions, type Transcript } from "../SpeechToText.ts"
import type { SpeechSynthesiser } from "../TextToSpeech.ts"
import { ask, connect, type Server, streamSamples } from "./SpeechHttp.ts"

const settings = Config.all({
  url: Config.option(Config.URL("SPEECH_BASE_URL")),
  key: Config.option(Config.Redacted("SPEECH_API_KEY")),
  recogniser: Config.NonEmptyString("STT_MODEL").pipe(Config.withDefault("gpt-4o-mini-transcribe")),
  speaker: Config.NonEmptyString("TTS_MODEL").pipe(Config.withDefault("gpt-4o-mini-tts")),
  voice: Config.NonEmptyString("TTS_VOICE").pipe(Config.withDefault("alloy")),
})

const openAi = "https://api.openai.com/v1"
/**
 * The provider's name. An agent whose voice names it gets its own voice id; all others get the installation's voice.
 */
export const name = "openai"

/** The time limit for the words of a stretch. A caller waits on the line. */
const wordsWithinMs = 6_000
/** Any rate would do, because a WAV file states its rate. */
const heardRates = [16_000, 8_000] as const
/** The protocol's `pcm` has one rate. */
const spokenRates = [24_000] as const
/** The most stretches of speech that wait to be recognised. More wait only when the server is stuck. */
const mostWaiting = 8
/** The most frames kept of one stretch: half a minute. */
const mostFrames = 32_000 / frameMs
const largestAnswer = 256 * 1_024

/** Speech that waits to be recognised. */
interface Stretch {
  readonly frames: ReadonlyArray<Int16Array>
  readonly started_ms: number
  readonly ended_ms: number
}

const Words = Schema.fromJsonString(Schema.Struct({ text: Schema.String }))
const decodeWords = Schema.decodeUnknownResult(Words)

/** Makes the recogniser and the voice, if a server or a key is configured. */
export const make = Effect.gen(function* () {
  const found = yield* settings
  if (Option.isNone(found.url) && Option.isNone(found.key)) return Option.none()
  const server = yield* connect(
    Option.match(found.url, { onNone: () => openAi, onSome: ({ href }) => href }),
    Option.match(found.key, {
      onNone: () => ({}),
      onSome: (key) => ({ authorization: `Bearer ${Redacted.value(key)}` }),
    }),
  )
  const recogniser: SpeechRecogniser = {
    rates: heardRates,
    open: (options) => open(server, found.recogniser, options),
  }
  const synthesiser: SpeechSynthesiser = {
    rates: spokenRates,
    speak: (text, { voice }) => streamSamples(server, "/audio/speech", requestOf(found, text, voice)),
  }
  return Option.some({ recogniser, synthesiser })
})

type Settings = Config.Success<typeof settings>

const requestOf = ({ speaker, voice }: Settings, input: string, own: Voice) => ({
  model: speaker,
  input,
  voice: own.provider === name ? own.id : voice,
  response_format: "pcm",
  ...(own.speed === 1 ? {} : { speed: own.speed }),
})

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
            Effect.map((text): Transcript => ({ final: true, text, ...times })),
            Effect.catch(({ isRefused = false, reason }) =>
              Effect.as(Effect.annotateLogs(Effect.logWarning("speech recognition failed"), { why: reason }), {
                final: true,
                text: null,
                isRefused,
                ...times,
              } satisfies Transcript),
            ),
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
  const failed = (reason: string, isRefused = false) => new SttFailed({ reason, isRefused })
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

/** Reads the whole answer. Fails if the server sends without end. */
const textOf = ({ body }: Dispatcher.ResponseData, failed: (reason: string) => SttFailed) => {
  let length = 0
  return Stream.fromAsyncIterable<Uint8Array, SttFailed>(body, () => failed("the answer broke off")).pipe(
    Stream.mapEffect((chunk) => {
      length += chunk.length
      return length > largestAnswer ? Effect.fail(failed("the answer is too long")) : Effect.succeed(chunk)
    }),
    Stream.runCollect,
    Effect.timeoutOrElse({
      duration: wordsWithinMs,
      orElse: () => Effect.fail(failed("the answer did not end")),
    }),
    Effect.map((chunks) => Buffer.concat(chunks).toString()),
    Effect.ensuring(Effect.sync(() => void body.on("error", () => undefined).destroy())),
  )
}
