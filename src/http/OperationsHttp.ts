/** What operators ask, outside of the contract: is it alive, is it ready, what does it offer (decisions §1, Operations). */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import { Api } from "./Api.ts"
import { Draining } from "./edge/Draining.ts"

export const paths = ["/healthz", "/readyz", "/openapi.json", "/docs"] as const

/** Alive: the process answers. */
const healthz = HttpRouter.add("GET", "/healthz", HttpServerResponse.jsonUnsafe({ status: "ok" }))

/** Ready: migrations are applied (the server listens only then), the database answers, and no drain has begun. */
const readyz = HttpRouter.add(
  "GET",
  "/readyz",
  Effect.gen(function* () {
    const draining = yield* Draining
    const platform = yield* PlatformDatabase
    if (yield* draining.isDraining) return unready("draining")
    return yield* platform`select 1`.pipe(
      Effect.timeout("2 seconds"),
      Effect.match({
        onSuccess: () => HttpServerResponse.jsonUnsafe({ status: "ready", checks: { database: "ok" } }),
        onFailure: () => unready("database unreachable"),
      }),
    )
  }),
)

const unready = (status: string) =>
  HttpServerResponse.jsonUnsafe({ status }, { status: 503, headers: { "retry-after": "1" } })

const document = HttpRouter.add("GET", "/openapi.json", HttpServerResponse.jsonUnsafe(OpenApi.fromApi(Api)))

export const layer = Layer.mergeAll(healthz, readyz, document, HttpApiScalar.layer(Api, { path: "/docs" }))
