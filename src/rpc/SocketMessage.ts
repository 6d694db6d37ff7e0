/** Messages of tRPC's protocol over a WebSocket, as they are read and written (trpc.io/docs/server/websockets). */
import { TRPCError } from "@trpc/server"
import type { Effect } from "effect"
import { jsonBytes } from "../offload/WideAnswer.ts"
import type { Said } from "./Answer.ts"
import { levelsToItems, type Problem, problemOfTrpc, shapeOf } from "./Problem.ts"

type Id = string | number

/** One call of a client. */
export interface Asked {
  readonly id: Id
  readonly method: string
  readonly path: string
  readonly input: unknown
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isId = (value: unknown): value is Id => typeof value === "string" || typeof value === "number"

/** The calls of a message. Undefined if it is not a message of the protocol. */
export const read = (message: unknown): ReadonlyArray<Asked> | undefined => {
  const asked = (Array.isArray(message) ? message : [message]).map(readOne)
  return asked.includes(undefined) ? undefined : asked.filter((one) => one !== undefined)
}

const readOne = (message: unknown): Asked | undefined => {
  if (!isObject(message)) return undefined
  const { id, method, params } = message
  if (!isId(id) || typeof method !== "string") return undefined
  if (method === "subscription.stop") return { id, method, path: "", input: undefined }
  if (!["query", "mutation", "subscription"].includes(method) || !isObject(params)) return undefined
  const { input, lastEventId, path } = params
  if (typeof path !== "string") return undefined
  const isContinued = typeof lastEventId === "string" && (input === undefined || isObject(input))
  return { id, method, path, input: isContinued ? { ...(isObject(input) ? input : {}), lastEventId } : input }
}

/** The credentials in the first message of a socket; undefined if it contains none. */
export const readParameters = (message: unknown): Said | undefined => {
  if (!isObject(message) || message["method"] !== "connectionParams") return undefined
  const { data = {} } = message
  if (!isObject(data)) return undefined
  const isSaid = Object.values(data).every((value) => value === undefined || typeof value === "string")
  return isSaid ? (data as Said) : undefined
}

export const answer = (id: Id, data: unknown): Effect.Effect<Uint8Array> =>
  jsonBytes({ id, result: { type: "data", data } }, levelsToItems)

/** Encodes an item of a subscription, which is one level deeper than an answer. */
export const item = (id: Id, key: string, data: unknown): Effect.Effect<Uint8Array> =>
  jsonBytes({ id, result: { type: "data", id: key, data: { id: key, data } } }, levelsToItems + 1)

/** Encodes the news that a subscription has started or stopped. */
export const state = (id: Id, type: "started" | "stopped"): string => JSON.stringify({ id, result: { type } })

export const refusal = (id: Id | null, problem: Problem, path?: string): string =>
  JSON.stringify({ id, error: shapeOf(problem, path) })

/** Like tRPC's own answer to a path that it does not know. */
export const noProcedure = ({ method, path }: Asked, request_id: string): Problem => {
  const { code, ...own } = problemOfTrpc(
    new TRPCError({ code: "NOT_FOUND", message: `No "${method}"-procedure on path "${path}"` }),
  )
  return problemOf(code, own, request_id)
}

export const malformedProblem = (detail: string, request_id: string): Problem =>
  problemOf("invalid_request", { title: "Invalid request", status: 400, detail }, request_id)

export const tooManySubscriptions = (limit: number, request_id: string): Problem => ({
  ...problemOf(
    "too_many_subscriptions",
    {
      title: "Too many subscriptions",
      status: 429,
      detail: `A socket has ${limit} subscriptions at most. Stop one, or open another socket.`,
    },
    request_id,
  ),
  limit,
})

const problemOf = (code: string, own: Pick<Problem, "title" | "status" | "detail">, request_id: string): Problem => ({
  type: `https://parley.dev/problems/${code.replaceAll("_", "-")}`,
  code,
  ...own,
  request_id,
})
