/**
 * What holds for every answer, also where no route is: the request's id, the optional prefix, one form of error. It is
 * one function around the finished app, since the router's own middleware cannot change what was not routed.
 */
import { NodeHttpServerRequest } from "@effect/platform-node"
import { ByteSize, Cause, Clock, Context, Effect, Predicate, References, Tracer } from "effect"
import {
  HttpIncomingMessage,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse,
  ProblemDetails,
} from "effect/http"
import { SqlError } from "effect/sql"
import { randomUUID } from "node:crypto"
import { maximumBytes } from "./Body.ts"
import { Draining } from "./Draining.ts"
import { typeOf } from "./Problem.ts"
import * as RateLimit from "./RateLimit.ts"
import { PathPrefix, RequestId, sane } from "./RequestId.ts"
import * as RequestMetrics from "./RequestMetrics.ts"
import type { AllowedMethods, RouteOf } from "./RouteTable.ts"
import * as WidgetCors from "./WidgetCors.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const bodySize = ByteSize.bytes(maximumBytes)

/**
 * What a request's fiber begins with. It is copied once a request, when a route's services join it; with every service
 * of the process in it, that was a tenth of a read. So it is what the edge itself heeds: where and what it logs, and how
 * long a body may be.
 */
export const references = (all: Context.Context<never>) =>
  Context.pick(
    References.CurrentLoggers,
    References.MinimumLogLevel,
    References.TracerEnabled,
    Tracer.Tracer,
  )(all).pipe(Context.add(HttpIncomingMessage.MaxBodySize, bodySize))

/** Paths that answer while the process drains: a balancer has to see it, and its calls still have reports to come. */
const always = /^\/(?:healthz|readyz|metrics|carriers)(?:[/?]|$)/

export const make = Effect.fnUntraced(function* (routes: {
  readonly allowed: AllowedMethods
  readonly routeOf: RouteOf
}) {
  const draining = yield* Draining
  const limited = yield* RateLimit.make
  const metrics = yield* RequestMetrics.make(routes.routeOf)

  /** The answer to a request that no route gets to see. */
  const refusalOf = Effect.fnUntraced(function* (request: Request, path: string) {
    const preflight = WidgetCors.preflight(request, path)
    if (preflight !== undefined) return preflight
    const fault = faultOf(request)
    if (fault !== undefined) return problem(400, "invalid_request", "Invalid request", fault)
    if ((yield* draining.isDraining) && !always.test(path)) {
      return problem(503, "draining", "Shutting down", "This process is shutting down. Send the request again.")
    }
    const refusal = yield* limited(callerOf(request))
    if (refusal === undefined) return undefined
    const { limit, resets_at, used } = refusal
    const detail = `More than ${limit} requests in this minute. Wait until ${resets_at.toISOString()}.`
    return problem(429, "rate_limited", "Too many requests", detail, { limit, used, resets_at })
  })

  return <E, R>(app: Effect.Effect<Response, E, R>) => {
    const answered = Effect.catchCause(app, answerTo)
    return Effect.gen(function* () {
      const original = yield* HttpServerRequest.HttpServerRequest
      const began = metrics.begin()
      const requestId = sane(original.headers["x-request-id"]) ?? randomUUID()
      const url = withoutPrefix(original.url)
      const request = url === original.url ? original : original.modify({ url })
      const path = url.split("?", 1)[0] ?? "/"
      const early = yield* refusalOf(request, path)
      const carrying = (context: Context.Context<R>) => {
        const own = context.pipe(
          Context.add(RequestId, requestId),
          Context.add(References.CurrentLogAnnotations, {
            request_id: requestId,
            method: request.method,
            path: withoutNumber(path),
          }),
        )
        return request === original
          ? own
          : own.pipe(Context.add(HttpServerRequest.HttpServerRequest, request), Context.add(PathPrefix, prefix))
      }
      const given = early ?? (yield* Effect.updateContext(answered, carrying))
      const response =
        given.status < 400 ? notModified(request, given) : yield* asProblem(path, given, routes.allowed, requestId)
      metrics.end(request.method, path, response.status, began)
      return WidgetCors.reflect(request, path, HttpServerResponse.setHeader(response, "x-request-id", requestId))
    })
  }
})

/** What became of a request that no handler answered; trouble of our own is logged here and nowhere else. */
const answerTo = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  // The client is gone or the server closes: nobody is there to answer.
  if (Cause.hasInterruptsOnly(cause)) return yield* Effect.failCause(cause as Cause.Cause<never>)
  if (isAway(cause)) {
    yield* Effect.logWarning("a database was away during a request", cause)
    return HttpServerResponse.empty({ status: 503 })
  }
  const [response] = yield* HttpServerError.causeResponse(cause)
  if (response.status >= 500) yield* Effect.logError("request failed", cause)
  return response
})

/** The connection was lost, or there was none, or the server is going or coming: a moment later there may be one. */
const isAway = ({ reasons }: Cause.Cause<unknown>): boolean =>
  reasons.some((reason) => {
    const error = reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined
    if (!SqlError.isSqlError(error)) return false
    const { _tag, cause } = error.reason
    return _tag === "ConnectionError" || (Predicate.hasProperty(cause, "code") && away.test(String(cause.code)))
  })

/** SQLSTATE: 08 the connection; 57P01 to 57P03 a server that shuts down, has crashed, or is starting. */
const away = /^(?:08|57P0[1-3])/

/** `/hub-api/api/agents` and `/api/agents` are one path (decisions §1). */
const prefix = "/hub-api"
const withoutPrefix = (url: string): string =>
  /^\/hub-api(?=[/?]|$)/.test(url) ? url.slice(prefix.length) || "/" : url

/** One path names a person: the do-not-call list's, by the number. The log must not. */
const withoutNumber = (path: string): string => path.replace(/^(\/api\/v1\/suppressions\/).+/, "$1{phone_number}")

/** No Host (RFC 9112 §3.2), bytes in a path or query that are no UTF-8, and U+0000, which PostgreSQL cannot hold. */
const faultOf = (request: Request): string | undefined => {
  const { url } = request
  if (request.headers["host"] === undefined) return "The header Host is missing"
  // Node reads the request line as Latin-1.
  if (/[^\0-\x7f]/.test(url)) return "The URL has bytes beyond ASCII; percent-encode them as UTF-8"
  if (!url.includes("%")) return undefined
  try {
    return decodeURIComponent(url.replaceAll("+", " ")).includes("\0") ? "The URL has the character U+0000" : undefined
  } catch {
    return "The URL has percent-encoded bytes that are not valid UTF-8"
  }
}

/**
 * Who sends: the credential, and the address, so that a stranger who guesses tokens does not count for their holder. A
 * carrier has no credential: it counts by the account of whose calls it reports. Of a credential as much is kept as
 * tells one from another: an API key's id and checksum, the end of a token's signature.
 */
const callerOf = (request: Request): string => {
  const address = NodeHttpServerRequest.toIncomingMessage(request).socket.remoteAddress ?? ""
  const reports = /^\/carriers\/[^/]*\/[^/]*/.exec(request.url)
  if (reports !== null) return `${address} ${reports[0]}`
  const credential = request.headers["authorization"]
  return credential === undefined ? address : `${address} ${credential.slice(0, 24)} ${credential.slice(-6)}`
}

const problem = (status: number, code: string, title: string, detail: string, extensions: object = {}): Response =>
  HttpServerResponse.jsonUnsafe(
    { type: typeOf(code), title, status, code, detail, ...extensions },
    { status, contentType: ProblemDetails.contentType },
  )

/** What the router, the builder or the platform answered without a body of ours. */
const plain: Record<number, { readonly code: string; readonly title: string; readonly detail: string }> = {
  400: { code: "invalid_request", title: "Invalid request", detail: "The request could not be understood." },
  404: {
    code: "route_not_found",
    title: "No such path",
    detail: "There is nothing under this path; see /openapi.json.",
  },
  413: { code: "body_too_large", title: "Body too large", detail: `The body may have ${maximumBytes} bytes at most.` },
  415: { code: "unsupported_media_type", title: "Unsupported content type", detail: "See /openapi.json for the type." },
  503: { code: "unavailable", title: "Not available now", detail: "Try again in a moment." },
}
const internal = {
  code: "internal_error",
  title: "Internal error",
  detail: "Something went wrong here. The request id finds it in the log.",
}

/** Every status from 400 on is a problem, with the headers that its status asks for. */
const asProblem = Effect.fnUntraced(function* (
  path: string,
  response: Response,
  allowed: AllowedMethods,
  requestId: string,
) {
  const own = ownProblem(response)
  const methods = response.status === 404 && own === undefined ? allowed(path) : []
  const body = {
    ...(own ??
      (methods.length > 0
        ? fields(405, { code: "method_not_allowed", title: "Method not allowed", detail: `Use ${methods.join(", ")}.` })
        : fields(
            response.status,
            plain[response.status] ?? (response.status < 500 ? plain[400] : internal) ?? internal,
          ))),
    request_id: requestId,
  }
  const now = yield* Clock.currentTimeMillis
  return HttpServerResponse.jsonUnsafe(body, {
    status: body.status,
    contentType: ProblemDetails.contentType,
    headers: { ...response.headers, ...headersOf(body, methods, now) },
  })
})

interface ProblemBody {
  readonly status: number
  readonly [extension: string]: unknown
}

const fields = (status: number, { code, detail, title }: typeof internal): ProblemBody => ({
  ...{ type: typeOf(code), title, status, code, detail },
})

/** The body, where it already is a problem of ours. */
const ownProblem = (response: Response): ProblemBody | undefined =>
  response.body._tag === "Uint8Array" && response.body.contentType.startsWith(ProblemDetails.contentType)
    ? JSON.parse(new TextDecoder().decode(response.body.body))
    : undefined

const headersOf = (body: ProblemBody, methods: ReadonlyArray<string>, now: number): Record<string, string> => {
  if (body.status === 401) return { "www-authenticate": "Bearer" }
  if (body.status === 405) return { allow: methods.join(", ") }
  if (body.status !== 429 && body.status !== 503) return {}
  const resets = Date.parse(String(body["resets_at"]))
  const seconds = Number.isNaN(resets) ? Number(body["retry_after_seconds"] ?? 1) : Math.ceil((resets - now) / 1000)
  const wait = String(Math.max(1, seconds))
  if (body.status === 503) return { "retry-after": wait }
  const { code, limit, used } = body
  const remaining = Math.max(0, Number(limit) - Number(used))
  return {
    "retry-after": wait,
    // draft-ietf-httpapi-ratelimit-headers: the policy's name, what is left of it, and when it is whole again.
    ratelimit: `"${String(code)}";r=${remaining};t=${wait}`,
    "ratelimit-policy": `"${String(code)}";q=${String(limit)}`,
  }
}

/** A known ETag is a 304. */
const notModified = (request: Request, response: Response): Response => {
  const etag = response.headers["etag"]
  const known = request.headers["if-none-match"]
  if (etag === undefined || known === undefined || (request.method !== "GET" && request.method !== "HEAD")) {
    return response
  }
  return known.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)
    ? HttpServerResponse.empty({ status: 304, headers: { etag } })
    : response
}
