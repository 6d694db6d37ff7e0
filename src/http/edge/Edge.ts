/**
 * The rules for every answer, even without a route: the request's id, the optional prefix, one form of error. They are
 * one function around the finished app, because the router's own middleware does not see requests without a route.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { ByteSize, Clock, Context, Effect, References, Scheduler, Tracer } from "effect"
import { HttpIncomingMessage, HttpServerRequest, HttpServerResponse, ProblemDetails } from "effect/http"
import { randomUUID } from "node:crypto"
import { AccessLog, RequestFacts } from "./AccessLog.ts"
import { maximumBytes } from "./Body.ts"
import { compress } from "./Compression.ts"
import * as Gate from "./Gate.ts"
import { PathPrefix, RequestId, sane } from "./RequestId.ts"
import * as RequestMetrics from "./RequestMetrics.ts"
import * as RequestTraces from "./RequestTraces.ts"
import * as RequestTarget from "./RequestTarget.ts"
import * as RouterCalls from "./RouterCalls.ts"
import type { AllowedMethods, Routes } from "./RouteTable.ts"
import { answerTo, type ProblemBody, problemBody, problemOf } from "./Trouble.ts"
import * as WidgetCors from "./WidgetCors.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const bodySize = ByteSize.bytes(maximumBytes)

/**
 * The context of a request's fiber. It is copied once for each request, when a route's services join it. With all of
 * the process's services in it, that copy was a tenth of a read. So it has only what the edge itself uses: log settings
 * and the limit of a body.
 */
export const references = (routes: Routes) => (all: Context.Context<never>) => {
  const own = Context.pick(
    References.CurrentLoggers,
    References.MinimumLogLevel,
    References.TracerEnabled,
    Scheduler.Scheduler,
    Tracer.Tracer,
  )(all).pipe(Context.add(HttpIncomingMessage.MaxBodySize, bodySize))
  return Context.get(all, References.TracerEnabled) ? RequestTraces.add(own, routes) : own
}

export const make = Effect.fnUntraced(function* (routes: Routes) {
  const admit = yield* Gate.make
  const metrics = yield* RequestMetrics.make(routes.routeOf)
  const accessLog = yield* AccessLog
  const isTraced = yield* References.TracerEnabled

  return <E, R>(app: Effect.Effect<Response, E, R>) => {
    const answered = Effect.catchCause(app, answerTo)
    return Effect.gen(function* () {
      const original = yield* HttpServerRequest.HttpServerRequest
      const began = metrics.begin()
      const requestId = sane(original.headers["x-request-id"]) ?? randomUUID()
      const { isPrefixed, path, url } = RequestTarget.read(NodeHttpServerRequest.toIncomingMessage(original).url ?? "/")
      const request = isPrefixed ? original.modify({ url }) : original
      const facts = accessLog.follow(original, path, requestId, routes.routeOf)
      const refusal = yield* admit(request, path)
      const prepare = (context: Context.Context<R>) =>
        addRequest(context, original, request, routes.routeOf(request.method, path), requestId, facts)
      const answer = refusal ?? (yield* Effect.updateContext(answered, prepare))
      const response =
        answer.status < 400 ? notModified(request, answer) : yield* asProblem(path, answer, routes.allowed, requestId)
      metrics.end(request.method, path, response.status, began)
      if (isTraced) yield* RequestTraces.annotate(requestId, facts)
      if (facts !== undefined && response.status >= 400) facts.refusedWith = response.status
      const isSecret = routes.isSecret(request.method, path)
      const named = HttpServerResponse.setHeaders(response, {
        "x-request-id": requestId,
        ...(isSecret ? { "cache-control": "no-store" } : {}),
      })
      return WidgetCors.reflect(request, path, yield* compress(request, named))
    })
  }
})

/**
 * Adds the request to a handler's context and to its logs, which name the route: a path may contain a phone number.
 * `original` still has the prefix, if it came with one.
 */
const addRequest = <R>(
  context: Context.Context<R>,
  original: Request,
  request: Request,
  route: string | undefined,
  requestId: string,
  facts: RequestFacts | undefined,
) => {
  const begun = facts === undefined ? context : Context.add(context, RequestFacts, facts)
  const own = begun.pipe(
    Context.add(RequestId, requestId),
    Context.add(References.CurrentLogAnnotations, {
      request_id: requestId,
      method: request.method,
      route: route ?? "none",
    }),
  )
  return request === original
    ? own
    : own.pipe(Context.add(HttpServerRequest.HttpServerRequest, request), Context.add(PathPrefix, RequestTarget.prefix))
}

/** Turns every status from 400 on into a problem, with the headers of its status. */
const asProblem = Effect.fnUntraced(function* (
  path: string,
  response: Response,
  allowed: AllowedMethods,
  requestId: string,
) {
  const now = yield* Clock.currentTimeMillis
  const told = RouterCalls.problemIn(path, response)
  if (told !== undefined) return HttpServerResponse.setHeaders(response, headersOf(told, [], now))
  const own = ownProblem(response)
  const methods = response.status === 404 && own === undefined ? allowed(path) : []
  const body = { ...(own ?? plainly(response.status, methods)), request_id: requestId }
  const form = RouterCalls.formOf(path, body)
  return HttpServerResponse.jsonUnsafe(form, {
    status: body.status,
    contentType: form === body ? ProblemDetails.contentType : "application/json",
    headers: { ...response.headers, ...headersOf(body, methods, now) },
  })
})

/** The path does not exist, or not with this method. */
const plainly = (status: number, methods: ReadonlyArray<string>): ProblemBody =>
  methods.length > 0
    ? problemBody(405, {
        code: "method_not_allowed",
        title: "Method not allowed",
        detail: `Use ${methods.join(", ")}.`,
      })
    : problemOf(status)

/** The body, if it already is one of our problems. */
const ownProblem = (response: Response): ProblemBody | undefined =>
  response.body._tag === "Uint8Array" && response.body.contentType.startsWith(ProblemDetails.contentType)
    ? JSON.parse(new TextDecoder().decode(response.body.body))
    : undefined

const headersOf = (body: ProblemBody, methods: ReadonlyArray<string>, now: number): Record<string, string> => {
  if (body.status === 401) return { "www-authenticate": "Bearer" }
  if (body.status === 405) return { allow: methods.join(", ") }
  if (body.status === 416) return { "content-range": `bytes */${String(body["bytes"])}` }
  // The rest of the body may still come, however slowly, so the connection has to close.
  if (body.status === 408) return { connection: "close" }
  if (body.status !== 429 && body.status !== 503) return {}
  const resets = Date.parse(String(body["resets_at"]))
  const seconds = Number.isNaN(resets) ? Number(body["retry_after_seconds"] ?? 1) : Math.ceil((resets - now) / 1000)
  const wait = String(Math.max(1, seconds))
  if (body.status === 503) return { "retry-after": wait }
  const { code, limit, used } = body
  // A cap on money counts no requests.
  if (!Number.isInteger(limit)) return { "retry-after": wait }
  const remaining = Math.max(0, Number(limit) - Number(used))
  return {
    "retry-after": wait,
    // draft-ietf-httpapi-ratelimit-headers: the policy's name, the remaining requests, and the seconds until the reset.
    ratelimit: `"${String(code)}";r=${remaining};t=${wait}`,
    "ratelimit-policy": `"${String(code)}";q=${String(limit)}`,
  }
}

/** Answers 304 if the client already has the ETag, or asks by `*` only whether there is anything (RFC 9110 §13.1.2). */
const notModified = (request: Request, response: Response): Response => {
  const etag = response.headers["etag"]
  const known = request.headers["if-none-match"]
  if (etag === undefined || known === undefined || (request.method !== "GET" && request.method !== "HEAD")) {
    return response
  }
  return known.trim() === "*" || known.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)
    ? HttpServerResponse.empty({ status: 304, headers: { etag } })
    : response
}
