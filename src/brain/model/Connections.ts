/**
 * The connections to the providers of language models. They stay open between two turns, so that a request needs no new
 * handshake, and they pass an answer on as it arrives. Redirects are not followed, so a key is sent only to the address
 * that it was configured for.
 */
import { Effect } from "effect"
import { Agent, request } from "undici"

/**
 * Pauses in a conversation are longer than the four seconds after which `fetch` closes a connection. A server's own
 * keep-alive time is respected.
 */
const keptMs = 60_000
/** A provider to which no connection is made within this time is treated as unreachable. */
const connectMs = 10_000
/** The most unread chunks of an answer: beyond these, reading from its connection pauses. */
const mostWaiting = 64
/** HTTP statuses without a body, for which `Response` refuses one. */
const bodiless = new Set([204, 205, 304])

/**
 * A `fetch` for the providers' packages with only what they use: JSON text out, a stream back. The built-in `fetch`,
 * with everything a browser needs, took twice the time.
 */
export const make = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => new Agent({ keepAliveTimeout: keptMs, connectTimeout: connectMs, allowH2: false })),
    (agent) => Effect.promise(() => agent.destroy()),
  ),
  (dispatcher): typeof fetch =>
    (input, { body, headers, method = "GET", signal } = {}) =>
      request(input instanceof Request ? input.url : input, {
        dispatcher,
        method,
        headers: new Headers(headers),
        body: typeof body === "string" ? body : null,
        signal: signal ?? null,
      }).then(
        (answer) =>
          new Response(bodiless.has(answer.statusCode) ? null : streamOf(answer.body), {
            status: answer.statusCode,
            statusText: answer.statusText,
            headers: Object.entries(answer.headers).flatMap(([name, value]) =>
              value === undefined ? [] : [[name, String(value)]],
            ),
          }),
      ),
)

const streamOf = (body: Awaited<ReturnType<typeof request>>["body"]) =>
  new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        body.on("data", (chunk: Uint8Array) => {
          controller.enqueue(chunk)
          if ((controller.desiredSize ?? 0) <= 0) body.pause()
        })
        body.on("end", () => controller.close())
        body.on("error", (error) => controller.error(error))
      },
      pull: () => void body.resume(),
      cancel: () => void body.destroy(),
    },
    { highWaterMark: mostWaiting },
  )
