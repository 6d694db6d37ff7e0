/**
 * The edge's knowledge of the typed router: how many calls a request has, and the form of errors that its clients read.
 */
import type { HttpServerResponse } from "effect/http"
import { type Problem, shapeOf } from "../../rpc/Problem.ts"

const isUnder = (path: string): boolean => path.startsWith("/trpc/")

/** A batch counts as one request per call. */
export const callsIn = (path: string): number => (isUnder(path) ? path.split(",").length : 1)

/** A problem of the edge in the form that the client reads. */
export const formOf = (path: string, problem: Problem): object =>
  isUnder(path) ? { error: shapeOf(problem) } : problem

/** The first problem in an answer of the router. */
export const problemIn = (path: string, { body }: HttpServerResponse.HttpServerResponse): Problem | undefined => {
  if (!isUnder(path) || body._tag !== "Uint8Array" || body.contentType !== "application/json") return undefined
  const answers = [JSON.parse(new TextDecoder().decode(body.body))].flat()
  return answers.find((answer) => answer?.error?.data !== undefined)?.error.data
}
