/**
 * GET /metrics (decisions §1, Operations): figures of the whole process in Prometheus' text form. None is of one
 * account, but together they show how busy the installation is, so in production they need a token. The sender's
 * address proves nothing: a proxy on the same machine sends from loopback.
 */
import { Config, Effect, Layer, Metric, Option, Redacted } from "effect"
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

/**
 * The metrics of Parley. Those of the cluster's engine are left out: they have no descriptions, and the tables `nodes`
 * and `shards` say the same.
 */
const format = Effect.flatMap(Metric.MetricRegistry, (registry) =>
  Effect.provideService(
    PrometheusMetrics.format(),
    Metric.MetricRegistry,
    new Map([...registry].filter(([, { id }]) => !id.startsWith("effect_cluster_"))),
  ),
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
      return isProduction
        ? refusal("In production the metrics require a token. Set PARLEY_METRICS_TOKEN on the server.")
        : undefined
    }

    return HttpRouter.add(
      "GET",
      path,
      Effect.gen(function* () {
        const no = refusalTo(yield* HttpServerRequest.HttpServerRequest)
        if (no !== undefined) return no
        // Each request runs in a separate tick: eight in one tick took more than 50 ms.
        yield* Effect.yieldNow
        return HttpServerResponse.text(yield* format, {
          contentType,
          headers: { "cache-control": "no-store" },
        })
      }),
    )
  }),
)
