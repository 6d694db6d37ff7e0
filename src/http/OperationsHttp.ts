/** Endpoints for operators, outside the contract: liveness, readiness and capabilities (decisions §1, Operations). */
import { Cause, Effect, Exit, Layer } from "effect"
import { HttpRouter, HttpServerResponse, ProblemDetails } from "effect/http"
import { SqlError } from "effect/sql"
import { pythonSandbox, pythonSandboxKind, voice } from "../calls/Capabilities.ts"
import { AccountMigrations, type Progress } from "../tenancy/AccountMigrations.ts"
import { DatabaseServers } from "../tenancy/DatabaseServers.ts"
import { RestoredCopies } from "../tenancy/RestoredCopies.ts"
import { sqlState } from "../tenancy/SqlState.ts"
import * as DocsHttp from "./DocsHttp.ts"
import { Draining } from "./edge/Draining.ts"
import { problemBody } from "./edge/Trouble.ts"
import * as MetricsHttp from "./MetricsHttp.ts"
import { openApiText } from "./OpenApiText.ts"

export const paths = ["/healthz", "/readyz", MetricsHttp.path, "/openapi.json", DocsHttp.path] as const

/** Alive: the process answers. */
const healthz = HttpRouter.add("GET", "/healthz", HttpServerResponse.jsonUnsafe({ status: "ok" }))

/**
 * Ready: the database answers, no drain has begun, and this process does not wait for one of an earlier release. A
 * missing sandbox or missing speech is reported, but does not make the process unready: only python tools, or voice, do
 * not work without it. Accounts that are still to be migrated do not either: their requests migrate them, or get a 503.
 */
const readyz = HttpRouter.add(
  "GET",
  "/readyz",
  Effect.gen(function* () {
    const draining = yield* Draining
    if (yield* draining.isDraining) return unready(stopping, { process: "stopping" })
    const migrations = yield* AccountMigrations
    const asked = yield* Effect.exit(
      Effect.timeout(
        Effect.all({ restored: RestoredCopies.use(({ count }) => count), isHeldBack: migrations.isHeldBack }),
        "2 seconds",
      ),
    )
    if (Exit.isFailure(asked)) {
      const database = faultOf(asked.cause)
      const detail = `The platform's database cannot be used: ${database}.`
      return unready({ code: "unavailable", title: "Temporarily unavailable", detail }, { database })
    }
    const { isHeldBack, restored } = asked.value
    const schemas = schemasOf(yield* migrations.progress)
    if (isHeldBack) {
      const detail = `A process of an earlier release serves while accounts are migrated: ${schemas}.`
      return unready({ code: "unavailable", title: "Temporarily unavailable", detail }, { migrations: schemas })
    }
    const python_sandbox = yield* pythonSandbox
    return HttpServerResponse.jsonUnsafe({
      status: "ready",
      checks: {
        database: "ok",
        migrations: schemas,
        dialling: diallingOf(restored),
        servers: serversOf(yield* DatabaseServers.use(({ silent }) => Effect.sync(() => silent.size))),
        python_sandbox,
        voice: yield* voice,
      },
      python_sandbox: yield* pythonSandboxKind,
    })
  }),
)

const diallingOf = (restored: number): string =>
  restored === 0 ? "ok" : `accounts restored from a backup, which do not dial: ${restored}`

/** Only the accounts of a server that does not answer are unavailable, so the process stays ready. */
const serversOf = (silent: number): string =>
  silent === 0 ? "ok" : `registered PostgreSQL servers that do not answer: ${silent}`

const schemasOf = (progress: Progress): string => {
  const left = Object.entries(progress).filter(([, accounts]) => accounts > 0)
  return left.length === 0
    ? "ok"
    : `accounts with an old schema: ${left.map(([state, accounts]) => `${accounts} ${state}`).join(", ")}`
}

/** Names no address of the server, because anyone may ask. */
const faultOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const state = sqlState(error)
  if (state !== undefined) return `the server refused with SQLSTATE ${state}`
  return SqlError.isSqlError(error) ? "the connection failed" : "no answer within 2 seconds"
}

const stopping = { code: "draining", title: "Shutting down", detail: "This process is shutting down." }

/** A problem like every other refusal, with the checks that failed. */
const unready = (words: Parameters<typeof problemBody>[1], checks: Readonly<Record<string, string>>) =>
  HttpServerResponse.jsonUnsafe(problemBody(503, words, { checks }), {
    status: 503,
    contentType: ProblemDetails.contentType,
  })

/** A client asks each time whether it has changed, and gets a 304 if it has not. */
const document = HttpRouter.add(
  "GET",
  "/openapi.json",
  Effect.map(openApiText, ({ bytes, etag }) =>
    HttpServerResponse.uint8Array(bytes, {
      contentType: "application/json",
      headers: { etag, "cache-control": "no-cache" },
    }),
  ),
)

export const layer = Layer.mergeAll(healthz, readyz, MetricsHttp.layer, document, DocsHttp.layer)
