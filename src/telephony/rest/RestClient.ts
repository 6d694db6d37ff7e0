/**
 * Sends requests to a carrier's REST interface, each once. A failure says whether the carrier may have acted on the
 * request. The client never repeats a request whose reply was lost.
 */
import { Effect, Predicate, Result, Schema } from "effect"
import { Agent } from "undici"

/** The carrier received the request and refused it. */
export class CarrierRefused extends Schema.TaggedError<CarrierRefused>()("CarrierRefused", {
  carrier: Schema.String,
  status: Schema.Int,
  /** The carrier's error code; empty if it gave none. */
  code: Schema.String,
  reason: Schema.String,
}) {
  override get message() {
    return `${this.carrier} refused with ${this.status}, error ${this.code || "unknown"}: ${this.reason}`
  }
}

/** No reply tells the result of the request. */
export class CarrierSilent extends Schema.TaggedError<CarrierSilent>()("CarrierSilent", {
  carrier: Schema.String,
  /** Whether the request may have arrived, so that the carrier may have acted on it. */
  sent: Schema.Boolean,
  why: Schema.String,
}) {
  override get message() {
    return `${this.carrier} ${this.sent ? "gave no answer" : "could not be reached"}: ${this.why}`
  }
}

export type CarrierFailed = CarrierRefused | CarrierSilent

/** A request without a reply after this time counts as lost. */
const answerWithin = "10 seconds"
const connectWithinMs = 4_000

/** Codes of failures that happen before anything is sent. */
const neverSent =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_.*|ERR_TLS_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|UNABLE_TO_.*)$/

export interface RestRequest {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface RestCarrier {
  /** The carrier's name in messages. */
  readonly carrier: string
  /** The paths of requests are appended to it. */
  readonly url: string
  readonly readRefusal: (text: string) => { readonly code: string; readonly reason: string }
}

interface Answer {
  readonly status: number
  readonly text: string
}

/** Returns a function that sends one request and reads the answer. */
export const make = Effect.fnUntraced(function* ({ carrier, readRefusal, url }: RestCarrier) {
  const base = new URL(url)
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => new Agent({ connections: 50, connect: { timeout: connectWithinMs } })),
    (agent) => Effect.promise(() => agent.destroy()),
  )
  const silent = (sent: boolean, why: string) => new CarrierSilent({ carrier, sent, why })

  const send = ({ body, headers, method, path }: RestRequest): Effect.Effect<Answer, CarrierSilent> =>
    Effect.tryPromise({
      try: async (signal) => {
        const answer = await agent.request({
          origin: base.origin,
          path: `${base.pathname.replace(/\/$/, "")}${path}`,
          method,
          signal,
          headers: { accept: "application/json", ...headers },
          ...(body === undefined ? {} : { body }),
        })
        return { status: answer.statusCode, text: await answer.body.text() }
      },
      catch: (cause) => {
        const code = Predicate.hasProperty(cause, "code") ? String(cause.code) : String(cause)
        return silent(!neverSent.test(code), code)
      },
    }).pipe(
      Effect.timeoutOrElse({
        duration: answerWithin,
        orElse: () => silent(true, `no answer within ${answerWithin}`),
      }),
    )

  return Effect.fnUntraced(function* <A>(
    request: RestRequest,
    decode: (text: string) => Result.Result<A, unknown>,
  ): Effect.fn.Return<A, CarrierFailed> {
    const { status, text } = yield* send(request)
    if (status >= 500) return yield* silent(true, `it answered ${status}`)
    if (status >= 400) return yield* new CarrierRefused({ carrier, status, ...readRefusal(text) })
    const decoded = decode(text)
    if (Result.isSuccess(decoded)) return decoded.success
    return yield* silent(true, `its answer of ${status} is not understood`)
  })
})
