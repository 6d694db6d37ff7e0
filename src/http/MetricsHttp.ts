/**
 * GET /metrics (decisions §1, Operations): numbers of the whole process in Prometheus' text form. None is of one account,
 * but together they tell how much goes on, so in production they need a token. Where a request comes from proves nothing:
 * a proxy on the same machine sends its requests from loopback, and need not say for whom.
 */
import { Config, Effect, Layer, Option, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse, ProblemDetails } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { hash, timingSafeEqual } from "node:crypto"
import { Environment } from "../tenancy/Environment.ts"
import { typeOf } from "./edge/Problem.ts"

export const path = "/metrics"

const contentType = "text/plain; version=0.0.4; charset=utf-8"

const equal = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b))
const digest = (text: string) => hash("sha256", text, "buffer")

const refusal = (detail: string) =>
  HttpServerResponse.jsonUnsafe(
    {
      type: typeOf("unauthenticated"),
      title: "Token missing or invalid",
      status: 401,
      code: "unauthenticated",
      detail,
    },
    { status: 401, contentType: ProblemDetails.contentType },
  )

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const token = Option.map(yield* Config.option(Config.Redacted("PARLEY_METRICS_TOKEN")), Redacted.value)
    const isProduction = (yield* Environment) === "production"

    const refusalTo = (request: HttpServerRequest.HttpServerRequest) => {
      if (Option.isSome(token)) {
        const [, sent] = /^bearer +(\S+)$/i.exec(request.headers["authorization"] ?? "") ?? []
        return sent !== undefined && equal(sent, token.value)
          ? undefined
          : refusal("The header Authorization must be: Bearer <PARLEY_METRICS_TOKEN>")
      }
      return isProduction ? refusal("In production metrics need a token: set PARLEY_METRICS_TOKEN.") : undefined
    }

    return HttpRouter.add(
      "GET",
      path,
      Effect.gen(function* () {
        const no = refusalTo(yield* HttpServerRequest.HttpServerRequest)
        if (no !== undefined) return no
        // Each in a turn of its own: eight at one moment took more than 50 ms together.
        yield* Effect.yieldNow
        return HttpServerResponse.text(yield* PrometheusMetrics.format(), {
          contentType,
          headers: { "cache-control": "no-store" },
        })
      }),
    )
  }),
)
