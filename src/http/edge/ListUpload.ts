/** A form with a list of numbers: received completely before work on it begins. */
import { Effect, Option } from "effect"
import type { HttpServerResponse } from "effect/http"
import { ListTooLarge } from "../../campaigns/ListRefused.ts"
import { StillStanding } from "../../identity/Standing.ts"
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

export const make = Effect.map(Spool.make, (receive) =>
  Effect.fn("ListUpload.receive")(function* (expected: Multipart.FormFields, mostBytes: number) {
    const key = yield* requestKey
    // The import has its own database connection, so a slow client holds none.
    yield* yield* ReleaseTenant
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
  }),
)
