/** Admits requests before they reach a route: each is refused, or waits for its sender's turn. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse, ProblemDetails } from "effect/http"
import { Environment } from "../../tenancy/Environment.ts"
import { ClientAddress } from "./ClientAddress.ts"
import { Draining } from "./Draining.ts"
import { isLoopback } from "./Loopback.ts"
import { RateLimit, reportsIn, type Sender } from "./RateLimit.ts"
import * as RequestTarget from "./RequestTarget.ts"
import * as RouterCalls from "./RouterCalls.ts"
import * as SameOrigin from "./SameOrigin.ts"
import { problemBody } from "./Trouble.ts"
import { Turns } from "./Turns.ts"
import * as WidgetCors from "./WidgetCors.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/**
 * Paths that answer while the process drains: a balancer has to see the drain, and carriers still send reports on
 * calls.
 */
const always = /^\/(?:healthz|readyz|metrics|carriers)(?:[/?]|$)/

export const make = Effect.gen(function* () {
  const draining = yield* Draining
  const { count, nameOf } = yield* RateLimit
  const { take } = yield* Turns
  const { of: addressOf } = yield* ClientAddress
  const isDevelopment = (yield* Environment) === "development"

  /** Returns the answer to a request that is refused. Otherwise waits for the sender's turn and returns undefined. */
  return Effect.fnUntraced(function* (request: Request, path: string) {
    const incoming = NodeHttpServerRequest.toIncomingMessage(request)
    const fault = RequestTarget.faultOf(incoming)
    if (fault !== undefined) {
      return problem(400, "invalid_request", "Invalid request", fault, { errors: [{ pointer: "/url", detail: fault }] })
    }
    const { headers } = incoming
    if (isDevelopment && !isLoopback(headers.host?.replace(/:\d+$/, "") ?? "")) {
      return problem(403, "host_forbidden", "Host not allowed", notLocal)
    }
    if (!RequestTarget.isCanonical(path)) return problem(404, "route_not_found", "No such path", notCanonical)
    const preflight = WidgetCors.preflight(request, path)
    if (preflight !== undefined) return preflight
    if (SameOrigin.isForOwnPages(path) && SameOrigin.isFromForeignPage(headers)) {
      return problem(403, "origin_forbidden", "Origin not allowed", notOwnPage)
    }
    if ((yield* draining.isDraining) && !always.test(path)) {
      return problem(503, "draining", "Shutting down", "This process is shutting down. Send the request again.")
    }
    const sender = senderOf(request, addressOf(incoming))
    const refusal = yield* count(sender, RouterCalls.callsIn(path))
    if (refusal === undefined) {
      yield* take(nameOf(sender))
      return undefined
    }
    const { limit, message, resets_at, used } = refusal
    return problem(429, "rate_limited", "Too many requests", message, { limit, used, resets_at })
  })
})

const notLocal =
  "In development Parley answers under localhost, 127.0.0.1 and [::1] alone, so that no page can reach it under a name of its own. Use one of these, or set PARLEY_ENV=production."
const notCanonical =
  "The path is not canonical. Write it without empty segments, dot segments and unescaped `;`, and percent-encode only the characters that need it."
const notOwnPage =
  "A page of another origin may not send this request. The console is served by Parley itself, under /console/."

const senderOf = (request: Request, address: string | undefined): Sender => ({
  address,
  credential: request.headers["authorization"],
  reports: reportsIn(request.url),
})

const problem = (status: number, code: string, title: string, detail: string, extensions: object = {}): Response =>
  HttpServerResponse.jsonUnsafe(problemBody(status, { code, title, detail }, extensions), {
    status,
    contentType: ProblemDetails.contentType,
  })
