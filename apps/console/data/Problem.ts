/** A refusal or a failure as the server words it: a sentence, a code, the figures, and the request's id to quote. */

export interface ProblemBody {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly request_id?: string
  readonly errors?: ReadonlyArray<{ readonly pointer: string; readonly detail: string }>
  readonly [extension: string]: unknown
}

export class Problem extends Error {
  readonly data: ProblemBody
  constructor(data: ProblemBody) {
    super(data.detail)
    this.name = "Problem"
    this.data = data
  }
}

const isBody = (value: unknown): value is ProblemBody =>
  typeof value === "object" && value !== null && "code" in value && "status" in value && "detail" in value

/** The router's errors and ours carry the problem in `data`. Without one, the server did not answer. */
export const problemOf = (error: unknown): ProblemBody => {
  const carried = typeof error === "object" && error !== null && "data" in error ? error.data : undefined
  if (isBody(carried)) return carried
  return {
    status: 0,
    code: "unreachable",
    title: "The server did not answer",
    detail: "The server did not answer. Check your connection, then try again.",
  }
}

/** True if a retry makes sense: the server did not answer, or failed with 5xx. */
export const isPassing = ({ status }: ProblemBody): boolean => status === 0 || status >= 500

/** The problems of a form's fields, by the field's name. */
export const fieldProblems = ({ errors = [] }: ProblemBody): Readonly<Record<string, string>> =>
  Object.fromEntries(errors.map(({ detail, pointer }) => [pointer.replace(/^\//, ""), detail]))
