/** The body at the door: its type (415), its length (413) and its strict reading (400), before any schema sees it. */
import { Effect, Layer, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { Invalid, invalid } from "../../domain/Refusals.ts"
import { asProblem } from "./Problem.ts"
import * as Problems from "./Problems.ts"
import { faultOf, maximumDepth } from "./StrictJson.ts"

/** JSON bodies; an upload has its own limit, and never passes here. */
export const maximumBytes = 1024 * 1024

export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()("UnsupportedMediaType", {
  expected: Schema.String,
}) {
  override get message() {
    return `Send the body as ${this.expected} and say so in Content-Type`
  }
}
export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("BodyTooLarge", { limit_bytes: Schema.Int }) {
  override get message() {
    return `The body may have ${this.limit_bytes} bytes at most`
  }
}

export const unsupportedMediaType = UnsupportedMediaType.pipe(
  asProblem({ status: 415, code: "unsupported_media_type", title: "Unsupported content type" }),
)
export const bodyTooLarge = BodyTooLarge.pipe(
  asProblem({ status: 413, code: "body_too_large", title: "Body too large" }),
)

export class StrictBody extends HttpApiMiddleware.Service<StrictBody>()("http/StrictBody", {
  error: [unsupportedMediaType, bodyTooLarge, Problems.invalid],
}) {
  static readonly layer = Layer.succeed(this, (httpEffect, { endpoint }) =>
    endpoint.payload.size === 0 || endpoint.method === "GET" ? httpEffect : Effect.andThen(strictly(), httpEffect),
  )
}

/** Reads the body and refuses what is no JSON as decisions §2 demands it, or more than may be sent. */
export const strictly = Effect.fnUntraced(function* (depth = maximumDepth) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const type = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase()
  if (type !== "application/json") return yield* new UnsupportedMediaType({ expected: "application/json" })
  const tooLarge = new BodyTooLarge({ limit_bytes: maximumBytes })
  if (Number(request.headers["content-length"] ?? 0) > maximumBytes) return yield* tooLarge
  const bytes = yield* Effect.mapError(request.arrayBuffer, (error): BodyTooLarge | Invalid =>
    error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
      ? tooLarge
      : invalid("", "could not be read to its end"),
  )
  const fault = faultOf(new Uint8Array(bytes), depth)
  if (fault !== undefined) return yield* new Invalid({ errors: [fault] })
})
