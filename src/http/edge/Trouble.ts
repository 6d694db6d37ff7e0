/**
 * The answer to a request that no handler answered: it had no route, it was malformed, or a part of the server failed.
 */
import { Cause, Effect, Predicate } from "effect"
import { HttpServerError, HttpServerResponse } from "effect/http"
import { SqlError } from "effect/sql"
import { sqlState } from "../../tenancy/SqlState.ts"
import { maximumBytes } from "./Body.ts"
import { typeOf } from "./Problem.ts"

/** A problem as it is sent, without the request's id. */
export interface ProblemBody {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly [extension: string]: unknown
}

interface Words {
  readonly code: string
  readonly title: string
  readonly detail: string
}

export const problemBody = (status: number, { code, detail, title }: Words, extensions: object = {}): ProblemBody => ({
  type: typeOf(code),
  title,
  status,
  code,
  detail,
  ...extensions,
})

const invalid: Words = {
  code: "invalid_request",
  title: "Invalid request",
  detail: "The request could not be understood.",
}
const internal: Words = {
  code: "internal_error",
  title: "Internal error",
  detail: "An internal error occurred. The server's log has the details under the request id.",
}

/** The words for statuses that the router, the builder or the platform answered without a body. */
const plain: Record<number, Words> = {
  400: invalid,
  404: {
    code: "route_not_found",
    title: "No such path",
    detail: "This path does not exist. See /openapi.json.",
  },
  413: { code: "body_too_large", title: "Body too large", detail: `The body may have at most ${maximumBytes} bytes.` },
  415: {
    code: "unsupported_media_type",
    title: "Unsupported content type",
    detail: "This content type is not supported. See /openapi.json.",
  },
  503: { code: "unavailable", title: "Temporarily unavailable", detail: "Try again in a moment." },
}

/** The problem of a bare status. */
export const problemOf = (status: number): ProblemBody =>
  problemBody(status, plain[status] ?? (status < 500 ? invalid : internal))

/** The answer to a request that no handler answered. Failures of our own are logged here and nowhere else. */
export const answerTo = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  // The client has disconnected or the server is closing, so no answer can be sent.
  if (Cause.hasInterruptsOnly(cause)) return yield* Effect.failCause(cause as Cause.Cause<never>)
  const faults = cause.reasons.map((reason) =>
    reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined,
  )
  if (faults.some(isAway)) {
    yield* Effect.logWarning("database unavailable during a request", cause)
    return HttpServerResponse.empty({ status: 503 })
  }
  if (faults.some(isFullDisk)) {
    yield* Effect.logWarning("the disk of PARLEY_DATA_DIR is full, so an upload was refused", cause)
    return HttpServerResponse.empty({ status: 503 })
  }
  const [response] = yield* HttpServerError.causeResponse(cause)
  if (response.status >= 500) yield* Effect.logError("request failed", cause)
  return response
})

/** The connection was lost or refused, or the server is stopping, starting or out of room: it may work a moment later. */
const isAway = (fault: unknown): boolean =>
  SqlError.isSqlError(fault) && (fault.reason._tag === "ConnectionError" || away.test(sqlState(fault) ?? ""))

const isFullDisk = (fault: unknown): boolean =>
  Predicate.hasProperty(fault, "code") && (fault.code === "ENOSPC" || fault.code === "EDQUOT")

/**
 * SQLSTATE: 08 the connection; 57P01 to 57P03 a server that shuts down, has crashed, or is starting; 53300 a server
 * that has no connection left, 53100 and 53200 no disk or memory; 3D000 and 28 a database or a role that was removed;
 * 25P03 a transaction that was idle for too long in this process and was rolled back.
 */
const away = /^(?:08|57P0[1-3]|53[1-3]00|3D000|28|25P03)/
