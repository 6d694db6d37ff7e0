/** One attempt at an endpoint: a signed request to a checked address, without redirects, within 15 seconds. */
import { Cause, Clock, DateTime, Effect, Exit, Option, Random, Schema } from "effect"
import { type ClientRequest, type IncomingMessage, request as plainRequest } from "node:http"
import { request as secureRequest } from "node:https"
import { Webhook as Signer } from "standardwebhooks"
import { retryAfterMs, retryDelayMs } from "../domain/DeliveryRetry.ts"
import { Event } from "../domain/Event.ts"
import { AddressGuard, type Admitted, HostUnreachable } from "../outbound/AddressGuard.ts"
import type { Claim } from "./Deliveries.ts"
import type { DeliveryResult } from "./DeliveryResults.ts"

const timeLimit = "15 seconds"
/**
 * The maximum number of bytes that are read of an answer's body: an endpoint must not fill the memory, and the log
 * keeps only the beginning.
 */
const largestAnswer = 4_096
const excerptLength = 1_000

/** The body of the request, which is the same for every attempt. */
const bodyOf = Schema.encodeSync(Schema.fromJsonString(Event))

interface Answer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: string
}

/**
 * Sends an event to an endpoint and returns the result. `secrets` sign the message, the present one first: a receiver
 * that knows one of them accepts it.
 */
export const attempt = Effect.fn("WebhookRequest.attempt")(function* (
  claim: Claim,
  event: Event,
  secrets: ReadonlyArray<string>,
) {
  const { answer, ended, error, ...came } = yield* send(claim.url, event.id, bodyOf(event), secrets)
  const asked = retryAfterMs(answer?.retryAfter, ended)
  return {
    claim,
    verdict: error === null ? "succeeded" : answer?.status === 410 ? "gone" : "failed",
    error,
    ...came,
    delay_ms: retryDelayMs(claim.series_attempts, yield* Random.next, asked),
  } satisfies DeliveryResult
})

/** Sends one signed message and returns the result. */
export const send = Effect.fn("WebhookRequest.send")(function* (
  address: string,
  id: string,
  body: string,
  secrets: ReadonlyArray<string>,
) {
  const began = yield* Clock.currentTimeMillis
  const headers = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "user-agent": "Parley-Webhooks/1 (+https://parley.dev)",
    ...signatureOf(id, yield* DateTime.nowAsDate, body, secrets),
  }
  const guard = yield* AddressGuard
  const exit = yield* guard.admit(address).pipe(
    Effect.flatMap((admitted) => post(admitted, headers, body)),
    Effect.timeout(timeLimit),
    Effect.exit,
  )
  const ended = yield* Clock.currentTimeMillis
  const answer = Exit.isSuccess(exit) ? exit.value : undefined
  return {
    answer,
    ended,
    status_code: answer?.status ?? null,
    error: Exit.isSuccess(exit) ? faultOf(exit.value.status) : sentenceOf(exit.cause),
    duration_ms: ended - began,
    excerpt: answer === undefined || answer.body === "" ? null : answer.body,
  }
})

/**
 * The headers of a signed message (Standard Webhooks). The id is the event's, equal for all attempts; the time is the
 * attempt's.
 */
export const signatureOf = (id: string, at: Date, body: string, secrets: ReadonlyArray<string>) => ({
  "webhook-id": id,
  "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
  "webhook-signature": secrets.map((secret) => new Signer(secret).sign(id, at, body)).join(" "),
})

const faultOf = (status: number): string | null => {
  if (status >= 200 && status < 300) return null
  if (status === 410) return "The endpoint answered 410, so the webhook was disabled"
  if (status >= 300 && status < 400) return `The endpoint answered ${status}; redirects are not followed`
  return `The endpoint answered ${status}`
}

const sentenceOf = (cause: Cause.Cause<unknown>): string => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (Cause.isTimeoutError(error)) return `The endpoint did not answer within ${timeLimit}`
  return error instanceof Error ? error.message : "The attempt was interrupted"
}

/** Opens a separate connection to the address that was checked. An interruption closes it. */
const post = ({ lookup, url }: Admitted, headers: Record<string, string>, body: string) =>
  Effect.callback<Answer, HostUnreachable>((resume) => {
    const fail = () => resume(Effect.fail(new HostUnreachable()))
    const begin = url.protocol === "https:" ? secureRequest : plainRequest
    const sent: ClientRequest = begin(url, { method: "POST", headers, lookup, agent: false }, (response) =>
      read(response, (text) => {
        const { "retry-after": retryAfter } = response.headers
        resume(Effect.succeed({ status: response.statusCode ?? 0, retryAfter, body: text }))
        sent.destroy()
      }),
    )
    sent.on("error", fail)
    sent.end(body)
    return Effect.sync(() => sent.destroy())
  })

/** Reads the beginning of the body, also of one that breaks off or never ends. */
const read = (response: IncomingMessage, done: (text: string) => void) => {
  const chunks: Array<Buffer> = []
  let length = 0
  const end = () =>
    done(storable(new TextDecoder().decode(Buffer.concat(chunks).subarray(0, largestAnswer)).slice(0, excerptLength)))
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length >= largestAnswer) end()
  })
  response.on("end", end)
  response.on("error", end)
  response.on("aborted", end)
}

/** The text without U+0000 and lone surrogates, which a text column refuses. */
const storable = (text: string): string => text.replaceAll("\0", "").toWellFormed()
