/**
 * `Idempotency-Key` on every POST that creates or dials (decisions §2): the first answer is written in the transaction
 * of its effect, so that both are committed or neither is.
 */
import { Effect, Layer, Option, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { SqlClient, SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import { CurrentPrincipal } from "../../domain/Principal.ts"
import { invalid } from "../../domain/Refusals.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import { json } from "../../tenancy/Json.ts"
import { MasterKey } from "../../tenancy/MasterKey.ts"
import * as Rows from "../../tenancy/Rows.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import { CurrentAdministrator } from "./Authentication.ts"
import { asProblem } from "./Problem.ts"
import * as Problems from "./Problems.ts"
import * as RequestTarget from "./RequestTarget.ts"
import { addPrefix } from "./Resource.ts"

export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>()("IdempotencyKeyReused", {}) {
  override get message() {
    return "This Idempotency-Key was sent with another body or query. Use a new key for a new request."
  }
}
export class IdempotencyInProgress extends Schema.TaggedError<IdempotencyInProgress>()("IdempotencyInProgress", {}) {
  override get message() {
    return "The first request with this Idempotency-Key is still running. Repeat the request in a moment."
  }
}

export const idempotencyKeyReused = IdempotencyKeyReused.pipe(
  asProblem({ status: 422, code: "idempotency_key_reused", title: "Idempotency key reused" }),
)
export const idempotencyInProgress = IdempotencyInProgress.pipe(
  asProblem({ status: 409, code: "idempotency_in_progress", title: "First request still running" }),
)

/** Requests of one caller with the same value count as one: the key, within an operation's path. */
export interface RequestKey {
  readonly scope: string
  readonly key: string
}

/** The key of the current request, if it has one; the same for the bare path and the one under `/hub-api`. */
export const requestKey = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const key = request.headers["idempotency-key"]
  if (key === undefined) return Option.none<RequestKey>()
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    return yield* invalid("/headers/idempotency-key", "must be 1 to 255 printable ASCII characters without spaces")
  }
  return Option.some<RequestKey>({ scope: `${request.method} ${request.url.split("?", 1)[0]}`, key })
})

/**
 * Runs `effect` once for the key; `fingerprint` tells requests with the same key apart. `effect` runs in the transaction
 * that writes the answer, and its `sql.afterCommit` work runs after it.
 */
export const once = <E, R, E2>(
  { key, scope: operation }: RequestKey,
  /** Evaluated after `effect`, or instead of it: an upload has no fingerprint before it is read. */
  fingerprint: Effect.Effect<string, E2>,
  effect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
) =>
  transaction(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // A stored answer may show a secret, so only its own caller gets it.
      const scope = `${operation} ${yield* callerDigest}`
      const sealer = yield* sealerOf(scope, key)
      const [lock] = yield* sql`select pg_try_advisory_xact_lock(hashtextextended(${`${scope} ${key}`}, 0)) as taken`
      if (lock?.["taken"] !== true) return yield* new IdempotencyInProgress()
      const found = yield* find(scope, key)
      if (found !== undefined) {
        if (found.fingerprint !== (yield* fingerprint)) return yield* new IdempotencyKeyReused()
        return HttpServerResponse.uint8Array(sealer.open(found.body), {
          status: found.status,
          headers: { ...(yield* underOwnPrefix(found.headers)), "idempotent-replayed": "true" },
        })
      }
      const response = yield* effect
      const body = response.body._tag === "Uint8Array" ? response.body : undefined
      const headers: Record<string, string | undefined> = { ...response.headers, "content-type": body?.contentType }
      const kept = ["content-type", "location", "etag"].flatMap((name) => {
        const value = headers[name]
        return value === undefined ? [] : [[name, value]]
      })
      yield* sql`
        insert into idempotency ${sql.insert({
          scope,
          key,
          fingerprint: yield* fingerprint,
          status: response.status,
          headers: json(Object.fromEntries(kept)),
          body: sealer.seal(body?.body ?? new Uint8Array()),
        })}
        on conflict (scope, key) do update set
          fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers,
          body = excluded.body, created_at = now()`
      return response
    }),
  )

/** The first request may have come with the other prefix; a path in an answer has the prefix of its own request. */
const underOwnPrefix = Effect.fnUntraced(function* (headers: Readonly<Record<string, string>>) {
  const { location } = headers
  return location === undefined ? headers : { ...headers, location: yield* addPrefix(RequestTarget.read(location).url) }
})

/**
 * The digest of the person or API key that sent the request. It is not of the token, which a client may renew before it
 * repeats a request.
 */
const callerDigest = Effect.gen(function* () {
  const principal = Option.getOrUndefined(yield* Effect.serviceOption(CurrentPrincipal))
  const caller = principal ?? (yield* CurrentAdministrator)
  if (caller === undefined) return yield* Effect.die(new Error("An Idempotency-Key needs a caller"))
  const name = caller._tag === "ApiKey" ? ["key", caller.id] : ["person", caller.issuer, caller.subject]
  return createHash("sha256").update(JSON.stringify(name)).digest("base64url")
})

const Answer = Schema.Struct({
  fingerprint: Schema.String,
  status: Schema.Int,
  headers: Schema.Record(Schema.String, Schema.String),
  body: Schema.Uint8Array,
})

const find = Effect.fnUntraced(function* (scope: string, key: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.first(Answer)(sql`
    select fingerprint, status, headers, body from idempotency
    where scope = ${scope} and key = ${key} and created_at > now() - interval '24 hours'`)
})

/** An answer may contain a secret that is shown once (an API key), so the stored copy is sealed. */
const sealerOf = Effect.fnUntraced(function* (scope: string, key: string) {
  const master = yield* MasterKey
  const tenant = yield* Effect.serviceOption(CurrentTenant)
  const place = `${Option.match(tenant, { onNone: () => "platform", onSome: ({ id }) => id })} ${scope} ${key}`
  return {
    seal: (body: Uint8Array) => master.wrap(place, body),
    open: (sealed: Uint8Array) => master.unwrap(place, sealed),
  }
})

/** Of the body and the query: the restore of an agent's version has its policies in the query. */
const fingerprintOf = (body: Uint8Array, url: string): string => {
  const hash = createHash("sha256").update(body)
  const at = url.indexOf("?")
  return (at < 0 ? hash : hash.update(url.slice(at))).digest("hex")
}

export class Idempotent extends HttpApiMiddleware.Service<Idempotent, { requires: SqlClient.SqlClient }>()(
  "http/Idempotent",
  { error: [idempotencyKeyReused, idempotencyInProgress, Problems.invalid] },
) {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const master = yield* MasterKey
      return Idempotent.of((httpEffect, { endpoint }) =>
        // Decided once for each operation, not for each request.
        endpoint.method !== "POST"
          ? httpEffect
          : Effect.gen(function* () {
              const key = yield* requestKey
              if (Option.isNone(key)) return yield* httpEffect
              const request = yield* HttpServerRequest.HttpServerRequest
              const body = yield* Effect.orDie(request.arrayBuffer)
              const fingerprint = Effect.sync(() => fingerprintOf(new Uint8Array(body), request.url))
              return yield* once(key.value, fingerprint, httpEffect).pipe(
                Effect.provideService(MasterKey, master),
                Effect.catchIf(SqlError.isSqlError, Effect.die),
              )
            }),
      )
    }),
  )
}
