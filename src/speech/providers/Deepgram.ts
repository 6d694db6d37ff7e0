/**
 * Deepgram's live recogniser. It sends speech over a WebSocket as it is spoken, gets words meanwhile, and asks for the
 * final words at the end of a stretch. It replaces a broken or silent connection and repeats the unfinished speech.
 */
import { Clock, Config, Effect, Option, Queue, Redacted, Result, Schema, Stream } from "effect"
import { WebSocket, type RawData } from "ws"
import * as ProviderSocket from "../ProviderSocket.ts"
import { type SpeechRecogniser, SttFailed, type SttOptions, type Transcript } from "../SpeechToText.ts"
import { isRefusal } from "./SpeechHttp.ts"
import { Stretches } from "./Stretches.ts"

const settings = Config.all({
  key: Config.option(Config.Redacted("DEEPGRAM_API_KEY")),
  url: Config.schema(ProviderSocket.SocketUrl, "DEEPGRAM_BASE_URL").pipe(
    Config.withDefault(new URL("wss://api.deepgram.com")),
  ),
  model: Config.NonEmptyString("DEEPGRAM_MODEL").pipe(Config.withDefault("nova-3")),
})

export const name = "deepgram"

interface Server {
  readonly url: URL
  readonly headers: Record<string, string>
  readonly model: string
}

/** Samples of 16 bits at any rate; these are the rates of the lines. */
const rates = [16_000, 8_000] as const
const connectWithinMs = 3_000
/** The server closes a connection that was idle for ten seconds. */
const keepAliveMs = 4_000
/** A server that sends nothing during five seconds of speech is stuck. */
const wordWithinMs = 5_000
const checkEveryMs = 250
/**
 * With this many unsent bytes the connection is stuck: more than a minute of sound at 16 kHz, twice what is ever
 * repeated.
 */
const mostUnsentBytes = 2 * 1_024 * 1_024
const largestMessageBytes = 256 * 1_024
/** The pause before a new connection doubles up to the longest. It is reset after a connection that brought results. */
const firstPauseMs = 100
const longestPauseMs = 5_000
/** The most results that wait. The conversation takes each at once, so more than a few mean that it has ended. */
const mostResults = 256

const Seconds = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e6 }))
/** The only kind of message that is read; the server sends others. */
const Results = Schema.fromJsonString(
  Schema.Struct({
    type: Schema.Literal("Results"),
    start: Seconds,
    duration: Seconds,
    is_final: Schema.Boolean,
    from_finalize: Schema.optionalKey(Schema.Boolean),
    channel: Schema.Struct({ alternatives: Schema.Array(Schema.Struct({ transcript: Schema.String })) }),
  }),
)
const decodeResults = Schema.decodeUnknownResult(Results)

/** Makes the recogniser, if there is a key. */
export const make: Effect.Effect<Option.Option<SpeechRecogniser>, Config.ConfigError> = Effect.gen(function* () {
  const { key, model, url } = yield* settings
  return Option.map(key, (key) => {
    const server: Server = { url, model, headers: { authorization: `Token ${Redacted.value(key)}` } }
    return { rates, open: (options) => open(server, options) }
  })
})

const addressOf = ({ model, url }: Server, { language, rate }: SttOptions): URL => {
  const address = new URL(`${url.href.replace(/\/+$/u, "")}/v1/listen`)
  address.search = new URLSearchParams({
    model,
    language: language.split("-", 1)[0]?.toLowerCase() ?? "en",
    encoding: "linear16",
    sample_rate: String(rate),
    channels: "1",
    interim_results: "true",
    punctuate: "true",
    // The line does the endpointing.
    endpointing: "false",
  }).toString()
  return address
}

const open = Effect.fnUntraced(function* (server: Server, options: SttOptions) {
  const clock = yield* Clock.Clock
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  const results = yield* Queue.sliding<Transcript>(mostResults)
  const stretches = new Stretches(options.rate, (result) => void Queue.offerUnsafe(results, result))
  yield* Effect.forkScoped(stayConnected(server, options, stretches, now))
  return {
    push: (frame: Int16Array) => stretches.push(frame),
    finalise: (started_ms: number, ended_ms: number) => stretches.finalise(started_ms, ended_ms, now()),
    discard: () => stretches.discard(now()),
    results: Stream.fromQueue(results),
  }
})

/** Reconnects whenever the connection ends. Between connections it gives up stretches that wait too long. */
const stayConnected = Effect.fnUntraced(function* (
  server: Server,
  options: SttOptions,
  stretches: Stretches,
  now: () => number,
) {
  let pauseMs = firstPauseMs
  const connection = Effect.gen(function* () {
    const socket = yield* connect(addressOf(server, options), server.headers)
    const channel = new Channel(socket, stretches, options.rate, now)
    yield* Effect.addFinalizer(() => Effect.sync(() => stretches.part()))
    stretches.join(channel, now())
    return yield* Effect.raceFirst(ProviderSocket.closed(socket), watch(channel, stretches)).pipe(
      Effect.ensuring(Effect.sync(() => void (pauseMs = channel.isProven ? firstPauseMs : pauseMs))),
    )
  }).pipe(
    Effect.catchTag("SocketFailed", (failed) => Effect.fail(failedBy(failed))),
    Effect.scoped,
  )
  while (true) {
    const { isRefused, reason } = yield* Effect.flip(connection)
    if (isRefused === true) stretches.refuse()
    yield* Effect.annotateLogs(Effect.logWarning("speech recogniser disconnected"), { why: reason })
    const until = now() + pauseMs
    while (now() < until) {
      stretches.check(now())
      yield* Effect.sleep(Math.min(checkEveryMs, Math.max(1, until - now())))
    }
    pauseMs = Math.min(longestPauseMs, pauseMs * 2)
  }
})

const connect = (address: URL, headers: Record<string, string>) =>
  ProviderSocket.open(address, { headers, withinMs: connectWithinMs, largestMessageBytes })

/** The recogniser's own error: a server that refuses the key or the language is not asked again. */
const failedBy = ({ reason, status }: ProviderSocket.SocketFailed) =>
  new SttFailed({ reason, isRefused: status !== undefined && isRefusal(status) })

const watch = (channel: Channel, stretches: Stretches) =>
  Effect.gen(function* () {
    while (true) {
      yield* Effect.sleep(checkEveryMs)
      const isAnswered = stretches.check(channel.now())
      if (stretches.isEmpty) channel.forgive()
      if (!isAnswered || channel.isStuck()) return yield* new SttFailed({ reason: "the server did not answer" })
      channel.keepAlive()
    }
  })

/** One connection: sends frames and passes on the results. Plain code. */
class Channel {
  readonly now: () => number
  readonly #socket: WebSocket
  #sentAt: number
  /** When sound was first sent after the last message; null if no answer is due. */
  #owedSince: number | null = null
  /** Whether it has brought results. */
  isProven = false

  constructor(socket: WebSocket, stretches: Stretches, rate: number, now: () => number) {
    this.#socket = socket
    this.now = now
    this.#sentAt = now()
    socket.on("message", (data, isBinary) => {
      const heard = isBinary ? null : heardOf(data, rate)
      if (heard === null) return
      this.#owedSince = null
      this.isProven = true
      stretches.take(heard)
    })
  }

  hear(samples: Int16Array): void {
    if (this.#socket.bufferedAmount > mostUnsentBytes) return
    this.#owedSince ??= this.now()
    this.#send(Buffer.from(samples.slice().buffer))
  }

  finalise(): void {
    this.#send(JSON.stringify({ type: "Finalize" }))
  }

  keepAlive(): void {
    if (this.now() - this.#sentAt >= keepAliveMs) this.#send(JSON.stringify({ type: "KeepAlive" }))
  }

  /** Clears the due answer: no speech waits for words, and servers need not answer for a cough. */
  forgive(): void {
    this.#owedSince = null
  }

  isStuck(): boolean {
    const isSilent = this.#owedSince !== null && this.now() - this.#owedSince > wordWithinMs
    return isSilent || this.#socket.bufferedAmount > mostUnsentBytes
  }

  #send(data: string | Buffer): void {
    this.#sentAt = this.now()
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(data)
  }
}

/** Reads the result in a message; null for other or unreadable messages. */
const heardOf = (data: RawData, rate: number) => {
  const message = decodeResults(String(data))
  if (Result.isFailure(message)) return null
  const { channel, duration, from_finalize, is_final, start } = message.success
  return {
    from: Math.round(start * rate),
    to: Math.round((start + duration) * rate),
    text: channel.alternatives[0]?.transcript.trim() ?? "",
    isFinal: is_final,
    isFlush: from_finalize === true,
  }
}
