/** What the edge supplies for callers of the typed router: permissions, idempotency, and the form of refusals. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import type { Said } from "../../rpc/Answer.ts"
import type { Caller, ProcedureWork, RequiredPermission, Rooms } from "../../rpc/Caller.ts"
import { MasterKey } from "../../tenancy/MasterKey.ts"
import { Api } from "../Api.ts"
import * as Audited from "./Audited.ts"
import { administratorDoor, bearerOf, memberDoor, type RawHeaders } from "./Authentication.ts"
import { once, requestKey } from "./Idempotency.ts"
import { rateLimited } from "./RateLimit.ts"
import * as RefusalProblems from "./RefusalProblems.ts"
import { RequestId } from "./RequestId.ts"

type Request = HttpServerRequest.HttpServerRequest

/** A caller, by the credentials that it sent apart from the request's own headers. */
export type CallerOf = (said: Said | null) => Caller

export const make = Effect.gen(function* () {
  const { enter: member, prove } = yield* memberDoor
  const administrator = yield* administratorDoor
  const master = yield* MasterKey
  const { auditProcedure } = yield* Audited.make
  const problemOf = RefusalProblems.make(Api, [rateLimited])

  const enter =
    (headers: RawHeaders) =>
    <A>(needs: RequiredPermission, doing: ProcedureWork<A>): Effect.Effect<A, unknown, Rooms> => {
      // The procedure needs no account.
      if (needs === "none") return doing as Effect.Effect<A, unknown, Rooms>
      if (needs === "administrator") return administrator(headers, doing) as Effect.Effect<A, unknown, Rooms>
      return Effect.scoped(member(headers, needs, doing))
    }

  const runOnce =
    (request: Request): Caller["once"] =>
    (operation, input, doing) =>
      Effect.gen(function* () {
        const key = yield* requestKey
        if (Option.isNone(key)) return yield* doing
        const fingerprint = Effect.sync(() =>
          createHash("sha256")
            .update(JSON.stringify([input]))
            .digest("hex"),
        )
        const kept = Effect.map(doing, (value) => HttpServerResponse.jsonUnsafe({ value }))
        const { body } = yield* once({ ...key.value, scope: `trpc ${operation}` }, fingerprint, kept)
        return body._tag === "Uint8Array" ? JSON.parse(new TextDecoder().decode(body.body)).value : undefined
      }).pipe(
        Effect.provideService(MasterKey, master),
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
      )

  return Effect.fnUntraced(function* (request: Request) {
    const { rawHeaders } = NodeHttpServerRequest.toIncomingMessage(request)
    const context = yield* Effect.context<Rooms>()
    const request_id = yield* RequestId
    const callerOf: CallerOf = (said) => {
      const headers = said === null ? rawHeaders : [...rawHeaders, ...headersOf(said)]
      const bearer = Effect.suspend(() => bearerOf(headers))
      return {
        request_id,
        fault: undefined,
        context,
        problemOf,
        bearer,
        prove: prove(headers),
        enter: enter(headers),
        once: runOnce(request),
        audit: auditProcedure(request),
      }
    }
    return callerOf
  })
})

const headersOf = (said: Said) =>
  Object.entries(said).flatMap(([name, value]) => (value === undefined ? [] : [name, value]))
