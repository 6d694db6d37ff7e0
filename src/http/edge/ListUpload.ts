/** A form with a list of numbers: received completely before work on it begins. */
import { Effect, Option } from "effect"
import type { HttpServerResponse } from "effect/http"
import { ListTooLarge } from "../../campaigns/lists/ListRefused.ts"
import { StillStanding } from "../../identity/Standing.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import * as FairSemaphore from "../../tenancy/FairSemaphore.ts"
import { ReleaseTenant } from "./Authentication.ts"
import { unsupportedMediaType } from "./Body.ts"
import { idempotencyInProgress, idempotencyKeyReused, once, requestKey } from "./Idempotency.ts"
import * as Multipart from "./Multipart.ts"
import { asProblem } from "./Problem.ts"
import * as Problems from "./Problems.ts"
import * as Spool from "./Spool.ts"

const listTooLarge = ListTooLarge.pipe(asProblem({ status: 413, code: "body_too_large", title: "List too large" }))

/** What every upload of a list may be refused with. */
export const uploadProblems = [
  Problems.invalid,
  listTooLarge,
  Problems.missingRole,
  Problems.missingScope,
  unsupportedMediaType,
  idempotencyKeyReused,
  idempotencyInProgress,
] as const

/**
 * Lists that a process has on its disk at the same time, so that they fill it with 320 MB at most. An account alone gets
 * half of the places. Further uploads wait unread: their bytes stay with their senders.
 */
const shares = { what: "uploads", places: 32, waiting: Infinity }

export const make = Effect.gen(function* () {
  const receive = yield* Spool.make
  const places = yield* FairSemaphore.make(shares)
  return Effect.fn("ListUpload.receive")(function* (expected: Multipart.FormFields, mostBytes: number) {
    const key = yield* requestKey
    const { account } = yield* CurrentTenant
    // The import has its own database connection, so a slow client holds none.
    yield* yield* ReleaseTenant
    yield* Effect.orDie(places.hold(account.slug, Effect.never))
    const form = yield* Multipart.receive(expected)
    const file = yield* receive(form.file, mostBytes)
    // The file may have taken minutes to arrive, in which the sender's key was revoked.
    yield* yield* StillStanding
    // Other fields may come behind the file.
    const fingerprint = yield* form.fingerprint
    /** Runs `answer` once for the request's `Idempotency-Key`, if it has one. Call it in the import's transaction. */
    const answerOnce = <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Option.match(key, {
        onNone: () => answer,
        onSome: (key) => once(key, Effect.succeed(fingerprint), answer),
      })
    return { file, fields: form.fields, answerOnce }
  })
})
