/** How a refusal looks to a caller of the router: `error.data` has the whole problem that REST would answer. */
import { TRPCError, type TRPC_ERROR_CODE_KEY } from "@trpc/server"
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc"
import type { Fault } from "./inputs/Sentences.ts"

/** RFC 9457, as docs/errors.md lists them by `code`. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly request_id: string
  /** Which fields are at fault, and why. */
  readonly errors?: ReadonlyArray<Fault>
  readonly [extension: string]: unknown
}

/** `error.data` of a client's error; `httpStatus` is where tRPC itself looks for the status. */
export type ErrorData = Problem & { readonly httpStatus: number; readonly path: string | undefined }

/** tRPC's name for a status. A few statuses have none; clients use `code` and `status` anyway. */
const keys: Record<number, TRPC_ERROR_CODE_KEY> = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_SUPPORTED",
  409: "CONFLICT",
  412: "PRECONDITION_FAILED",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  422: "UNPROCESSABLE_CONTENT",
  429: "TOO_MANY_REQUESTS",
  502: "BAD_GATEWAY",
  503: "SERVICE_UNAVAILABLE",
}
const keyOf = (status: number): TRPC_ERROR_CODE_KEY =>
  keys[status] ?? (status < 500 ? "BAD_REQUEST" : "INTERNAL_SERVER_ERROR")

/** Carries the problem through tRPC. */
class Refusal extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

export const errorOf = (problem: Problem): TRPCError =>
  new TRPCError({ code: keyOf(problem.status), message: problem.detail, cause: new Refusal(problem) })

/** The problem of one of our errors; undefined if tRPC raised the error itself. */
export const problemIn = ({ cause }: TRPCError): Problem | undefined =>
  cause instanceof Refusal ? cause.problem : undefined

/** An error as the router's callers read it. */
export const shapeOf = (problem: Problem, path?: string) => ({
  message: problem.detail,
  code: TRPC_ERROR_CODES_BY_KEY[keyOf(problem.status)],
  data: { ...problem, httpStatus: problem.status, path } satisfies ErrorData as ErrorData,
})

/** The depth of a list's items in an answer: `{"result":{"data":{"items":[…]}}}`. */
export const levelsToItems = 4

export const answerTooLarge = (request_id: string, detail: string): Problem => ({
  type: "https://parley.dev/problems/answer-too-large",
  title: "Answer too large",
  status: 413,
  code: "answer_too_large",
  request_id,
  detail,
})

/**
 * The problem of an error that tRPC raised itself: it found no procedure, or none for this method, or the request was
 * not a call.
 */
export const problemOfTrpc = ({ code, message }: TRPCError): Pick<Problem, "title" | "status" | "code" | "detail"> => {
  const [status, own, title] = known[code] ?? ([500, "internal_error", "Internal error"] as const)
  const detail =
    status === 500 ? "An internal error occurred. The server's log has the details under the request id." : message
  return { title, status, code: own, detail }
}

const known: { readonly [key in TRPC_ERROR_CODE_KEY]?: readonly [status: number, code: string, title: string] } = {
  PARSE_ERROR: [400, "invalid_request", "Invalid request"],
  BAD_REQUEST: [400, "invalid_request", "Invalid request"],
  NOT_FOUND: [404, "route_not_found", "No such procedure"],
  METHOD_NOT_SUPPORTED: [405, "method_not_allowed", "Method not allowed"],
  PAYLOAD_TOO_LARGE: [413, "body_too_large", "Body too large"],
  UNSUPPORTED_MEDIA_TYPE: [415, "unsupported_media_type", "Unsupported content type"],
  UNPROCESSABLE_CONTENT: [400, "invalid_request", "Invalid request"],
}
