/** Endpoints for operators, outside the contract: liveness, readiness and capabilities (decisions §1, Operations). */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { OpenApi } from "effect/http-api"
import { createHash } from "node:crypto"
import { pythonSandbox, pythonSandboxKind, voice } from "../calls/Capabilities.ts"
import { RestoredCopies } from "../tenancy/RestoredCopies.ts"
import { Api } from "./Api.ts"
import * as DocsHttp from "./DocsHttp.ts"
import { Draining } from "./edge/Draining.ts"
import * as MetricsHttp from "./MetricsHttp.ts"

export const paths = ["/healthz", "/readyz", MetricsHttp.path, "/openapi.json", DocsHttp.path] as const

/** Alive: the process answers. */
const healthz = HttpRouter.add("GET", "/healthz", HttpServerResponse.jsonUnsafe({ status: "ok" }))

/**
 * Ready: migrations are applied (the server listens only then), the database answers, and no drain has begun. A missing
 * sandbox or missing speech is reported, but does not make the process unready: only python tools, or voice, do not
 * work without it.
 */
const readyz = HttpRouter.add(
  "GET",
  "/readyz",
  Effect.gen(function* () {
    const draining = yield* Draining
    if (yield* draining.isDraining) return unready("draining")
    const restored = yield* Effect.exit(
      Effect.timeout(
        RestoredCopies.use(({ count }) => count),
        "2 seconds",
      ),
    )
    if (restored._tag === "Failure") return unready("database unreachable")
    const python_sandbox = yield* pythonSandbox
    return HttpServerResponse.jsonUnsafe({
      status: "ready",
      checks: { database: "ok", dialling: diallingOf(restored.value), python_sandbox, voice: yield* voice },
      python_sandbox: yield* pythonSandboxKind,
    })
  }),
)

const diallingOf = (restored: number): string =>
  restored === 0 ? "ok" : `accounts restored from a backup, which do not dial: ${restored}`

const unready = (status: string) =>
  HttpServerResponse.jsonUnsafe({ status }, { status: 503, headers: { "retry-after": "1" } })

const documentText = JSON.stringify(OpenApi.fromApi(Api))

/** Made once a process. A client asks each time whether it has changed, which costs it a 304. */
const document = HttpRouter.add(
  "GET",
  "/openapi.json",
  HttpServerResponse.text(documentText, {
    contentType: "application/json",
    headers: {
      etag: `"${createHash("sha256").update(documentText).digest("base64url")}"`,
      "cache-control": "no-cache",
    },
  }),
)

export const layer = Layer.mergeAll(healthz, readyz, MetricsHttp.layer, document, DocsHttp.layer)
