/** An HTTP client for speech servers: keeps connections open, retries once, and reads sound as it arrives. */
import { Effect, Stream } from "effect"
import { Agent, type Dispatcher } from "undici"
import { makeReader } from "../Audio.ts"
import { TtsFailed } from "../TextToSpeech.ts"

export interface Server {
  readonly agent: Agent
  /** Without a slash at its end. */
  readonly base: string
  readonly headers: Record<string, string>
}

/** The time limits for a connection and for the first sound of a sentence. A caller waits on the line. */
const connectWithinMs = 3_000
const soundWithinMs = 3_000
const keptMs = 30_000

/**
 * Whether the status blames the request, such as a voice that does not exist. Other statuses from 400 on blame the
 * server, its load, or the installation's key.
 */
export const isRefusal = (status: number): boolean => [400, 404, 405, 406, 409, 413, 415, 422].includes(status)

/** Makes a client for the server at this address. Closing the scope closes its connections. */
export const connect = (url: string, headers: Record<string, string>) =>
  Effect.acquireRelease(
    Effect.sync((): Server => ({
      agent: new Agent({ keepAliveTimeout: keptMs, connect: { timeout: connectWithinMs } }),
      base: url.replace(/\/+$/u, ""),
      headers,
    })),
    ({ agent }) => Effect.promise(() => agent.destroy()),
  )

/** Sends a request. Retries once if there is no answer, or if the server is at fault or busy. */
export const ask = <E>(
  { agent, base, headers }: Server,
  path: string,
  body: () => Pick<Dispatcher.RequestOptions, "body" | "headers">,
  withinMs: number,
  failed: (reason: string, isRefused: boolean) => E,
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
    catch: (error) => ({
      again: true,
      reason: error instanceof Error ? error.name : "no answer",
      isRefused: false,
    }),
  }).pipe(
    Effect.flatMap((response) => {
      const { statusCode: status } = response
      if (status >= 200 && status < 300) return Effect.succeed(response)
      response.body.on("error", () => undefined).destroy()
      return Effect.fail({
        again: status >= 500 || status === 429,
        reason: `the server answered ${status}`,
        isRefused: isRefusal(status),
      })
    }),
    Effect.retry({ times: 1, while: ({ again }) => again }),
    Effect.mapError(({ isRefused, reason }) => failed(reason, isRefused)),
  )

/** A text, such as an error page, would be heard as noise. */
const isText = ({ headers }: Dispatcher.ResponseData): boolean =>
  /^(?:text\/|application\/json\b)/iu.test(String(headers["content-type"] ?? ""))

/** Sends a request as JSON, and reads the answer as samples of 16 bits. Ending the stream closes the connection. */
export const streamSamples = (server: Server, path: string, request: object): Stream.Stream<Int16Array, TtsFailed> => {
  const failed = (reason: string, isRefused = false) => new TtsFailed({ reason, isRefused })
  const body = () => ({ body: JSON.stringify(request), headers: { "content-type": "application/json" } })
  return Stream.unwrap(
    Effect.gen(function* () {
      const response = yield* ask(server, path, body, soundWithinMs, failed)
      const read = makeReader()
      // If the reader stops early, the body emits an error, which needs a listener.
      response.body.on("error", () => undefined)
      if (isText(response)) {
        response.body.destroy()
        return yield* failed("the server answered text")
      }
      return Stream.fromAsyncIterable<Uint8Array, TtsFailed>(response.body, () => failed("the sound broke off")).pipe(
        Stream.map(read),
        Stream.ensuring(Effect.sync(() => void response.body.destroy())),
      )
    }),
  )
}
