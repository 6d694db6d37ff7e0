/**
 * Opens the entry of the audit log for each operation that has one (decision 0051), inside of what an `Idempotency-Key`
 * repeats: an answer that is replayed leaves no second entry.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Layer, Option, Predicate } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { type SqlClient, SqlError } from "effect/sql"
import { type AuditedOperation, isOfAdministrators, ofEndpoint, ofProcedure } from "../../audit/Operations.ts"
import type { AuditActor } from "../../domain/AuditEntry.ts"
import { CurrentPrincipal, type Identity, type Principal } from "../../domain/Principal.ts"
import type { Caller } from "../../rpc/Caller.ts"
import * as AuditTrail from "../../tenancy/AuditTrail.ts"
import { CurrentAdministrator } from "./Authentication.ts"
import { ClientAddress } from "./ClientAddress.ts"
import { RequestId } from "./RequestId.ts"

const actorOf = (principal: Principal | Identity): AuditActor =>
  principal._tag === "ApiKey"
    ? { type: "api_key", id: principal.id, issuer: null, name: principal.name }
    : { type: "person", id: principal.subject, issuer: principal.issuer, name: principal.email }

const ways = { whole: AuditTrail.recordTogether, own: AuditTrail.record, after: AuditTrail.recordAfter }

/** The functions that record what a request does. */
export const make = Effect.gen(function* () {
  const { of: addressOf } = yield* ClientAddress

  /** Runs `effect` with the actor and the address that go into what it writes into a log. */
  const withOrigin = <A, E, R>(request: HttpServerRequest.HttpServerRequest, effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const principal = Option.getOrUndefined(yield* Effect.serviceOption(CurrentPrincipal))
      const actor = principal ?? (yield* CurrentAdministrator)
      if (actor === undefined) return yield* effect
      const address = addressOf(NodeHttpServerRequest.toIncomingMessage(request)) ?? null
      const origin = { actor: actorOf(actor), address, request_id: yield* RequestId }
      return yield* Effect.provideService(effect, AuditTrail.CurrentOrigin, origin)
    })

  /** Runs an audited operation with its entry. `object` is the object as the request names it. */
  const record = <A, E, R>(
    request: HttpServerRequest.HttpServerRequest,
    { action, isChange, manner, onceInMinutes }: AuditedOperation,
    object: string | undefined,
    effect: Effect.Effect<A, E, R>,
    idOf: (answer: A) => string | undefined,
  ): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
    Effect.suspend(() => {
      const audited = { action, object, isChange, onceInMinutes, before: undefined, noted: {}, isWritten: false }
      return withOrigin(request, ways[manner](audited, effect, idOf))
    })

  /** Runs a procedure of the router with its entry, if it has one. */
  const auditProcedure =
    (request: HttpServerRequest.HttpServerRequest): Caller["audit"] =>
    (procedure, input, doing) => {
      const operation = ofProcedure(procedure)
      if (operation === undefined) return isOfAdministrators(procedure) ? withOrigin(request, doing) : doing
      const object = operation.object === null ? undefined : textIn(input, operation.object.rpc)
      return record(request, operation, object, doing, (answer) => textIn(answer, "id"))
    }

  return { auditProcedure, record, withOrigin }
})

/** The text in a field of an input that was not checked yet, or of an answer. */
const textIn = (value: unknown, name: string): string | undefined => {
  const text: unknown = Predicate.hasProperty(value, name) ? value[name] : undefined
  return typeof text === "string" ? text : undefined
}

/** The id of what was created, which is the last segment of the answer's `location`. */
const idOfPlace = ({ headers }: HttpServerResponse.HttpServerResponse): string | undefined =>
  headers["location"]?.split("/").at(-1)

export class Audited extends HttpApiMiddleware.Service<Audited, { requires: SqlClient.SqlClient }>()("http/Audited") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const { record, withOrigin } = yield* make
      return Audited.of((httpEffect, { endpoint, group }) => {
        const name = `${group.identifier}.${endpoint.identifier}`
        const operation = ofEndpoint(name)
        if (operation === undefined) {
          if (!isOfAdministrators(name)) return httpEffect
          return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => withOrigin(request, httpEffect))
        }
        return Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          // The answer to a HEAD has no content.
          if (request.method === "HEAD") return yield* httpEffect
          const params = yield* HttpRouter.params
          const object = operation.object === null ? undefined : params[operation.object.rest]
          return yield* record(request, operation, object, httpEffect, idOfPlace).pipe(
            Effect.catchIf(SqlError.isSqlError, Effect.die),
          )
        })
      })
    }),
  )
}
