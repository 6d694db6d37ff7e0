/** Checks the body before any schema sees it: its type (415), its length (413), and that it is strict JSON (400). */
import { ByteSize, Effect, Fiber, Layer, Schema } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { Invalid, invalid } from "../../domain/Refusals.ts"
import { asProblem } from "./Problem.ts"
import * as Problems from "./Problems.ts"
import { faultOf, maximumDepth } from "./StrictJson.ts"

/** The limit of JSON bodies. An upload has its own limit, and does not pass here. */
export const maximumBytes = 1024 * 1024

export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()("UnsupportedMediaType", {
  expected: Schema.String.annotate({ description: "The content type that the operation takes." }),
}) {
  override get message() {
    return `Send the body as ${this.expected} in UTF-8, without compression, and with that Content-Type`
  }
}
export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("BodyTooLarge", {
  limit_bytes: Schema.Int.annotate({ description: "The maximum length of the body, in bytes." }),
}) {
  override get message() {
    return `The body may have at most ${this.limit_bytes} bytes`
  }
}

/** A line of half a megabit per second sends 1 MiB in 17 s. */
const bodyWithin = "30 seconds"

export class RequestTimeout extends Schema.TaggedError<RequestTimeout>()("RequestTimeout", {}) {
  override get message() {
    return "The body did not arrive within 30 seconds. Send the request again over a faster connection."
  }
}
export const requestTimeout = RequestTimeout.pipe(
  asProblem({ status: 408, code: "request_timeout", title: "Request timed out" }),
)

export const unsupportedMediaType = UnsupportedMediaType.pipe(
  asProblem({ status: 415, code: "unsupported_media_type", title: "Unsupported content type" }),
)
export const bodyTooLarge = BodyTooLarge.pipe(
  asProblem({ status: 413, code: "body_too_large", title: "Body too large" }),
)

export class StrictBody extends HttpApiMiddleware.Service<StrictBody>()("http/StrictBody", {
  error: [unsupportedMediaType, bodyTooLarge, requestTimeout, Problems.invalid],
}) {
  static readonly layer = Layer.succeed(this, (httpEffect, { endpoint }) =>
    endpoint.payload.size === 0 || endpoint.method === "GET" ? httpEffect : Effect.andThen(readStrictly(), httpEffect),
  )
}

/**
 * Whether the body is of that type, in UTF-8, and not compressed: a few kilobytes of Brotli can be a gigabyte of JSON.
 */
export const isOfType = (
  expected: string,
  {
    "content-encoding": encoding = "identity",
    "content-type": sent = "",
  }: Readonly<Record<string, string | undefined>>,
): boolean => {
  const [type = "", ...parameters] = sent.split(";").map((part) => part.trim().toLowerCase())
  return type === expected && isUtf8(parameters) && /^\s*(?:identity)?\s*$/i.test(encoding)
}

/** Whether the parameters of a content type name no charset, or UTF-8. */
const isUtf8 = (parameters: ReadonlyArray<string>): boolean => {
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length)
  return charset === undefined || /^"?utf-?8"?$/.test(charset)
}

/** Whether a part of a form with this content type is in UTF-8. */
export const isPartUtf8 = (type: string): boolean =>
  isUtf8(type.split(";").map((parameter) => parameter.trim().toLowerCase()))

/** Reads the body. Refuses one that is not strict JSON (decisions §2) and one that is too large. */
export const readStrictly = Effect.fnUntraced(function* (depth = maximumDepth, mostBytes = maximumBytes) {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!isOfType("application/json", request.headers)) {
    return yield* new UnsupportedMediaType({ expected: "application/json" })
  }
  const tooLarge = new BodyTooLarge({ limit_bytes: mostBytes })
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) return yield* tooLarge
  // Runs in a separate fiber: interrupting the reader would close the connection before the 408 is sent.
  const reading = yield* request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(mostBytes)),
    Effect.forkDetach({ startImmediately: true }),
  )
  const bytes = yield* Fiber.join(reading).pipe(
    Effect.mapError((error): BodyTooLarge | Invalid =>
      error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
        ? tooLarge
        : invalid("", "could not be read to its end"),
    ),
    Effect.timeoutOrElse({ duration: bodyWithin, orElse: () => Effect.fail(new RequestTimeout()) }),
  )
  const fault = faultOf(new Uint8Array(bytes), depth)
  if (fault !== undefined) return yield* new Invalid({ errors: [fault] })
})
