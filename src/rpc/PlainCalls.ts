/**
 * Calls whose answers are one piece of JSON, in the fiber of the request. tRPC's own way to them makes promises, abort
 * signals and a web response of each, which takes as long as a read itself (decision 0020). What is not plainly such a
 * call is left to tRPC, which also says what is wrong with it.
 */
import { getHTTPStatusCode } from "@trpc/server/http"
import { Effect } from "effect"
import { largestBatch } from "./Answer.ts"
import type { Caller, Rooms } from "./Caller.ts"
import { shapeOf } from "./Problem.ts"
import type { Meta, Run } from "./Procedure.ts"
import { appRouter } from "./Router.ts"

/** A request, with a body or query that is known to be JSON as it should be. */
export interface Asked {
  readonly method: string
  /** What follows `/trpc/`. */
  readonly procedures: string
  readonly query: URLSearchParams
  readonly header: (name: string) => string | undefined
  readonly input: unknown
}

export interface PlainCalls {
  readonly calls: ReadonlyArray<PlainCall>
  readonly isBatch: boolean
}

interface PlainCall {
  readonly path: string
  readonly run: Run
  readonly raw: unknown
}

/** Undefined: they are for tRPC. */
export const plainCalls = ({ header, input, method, procedures, query }: Asked): PlainCalls | undefined => {
  for (const name of query.keys()) if (name !== "input" && name !== "batch") return undefined
  if (header("trpc-accept") !== undefined || header("accept")?.includes("jsonl") === true) return undefined
  const isBatch = query.get("batch") === "1"
  const paths = isBatch ? procedures.split(",") : [procedures]
  if (paths.length > largestBatch || (paths.length > 1 && header("idempotency-key") !== undefined)) return undefined
  const inputs = isBatch ? input : [input]
  if (!isRecord(inputs) || (isBatch && Array.isArray(inputs))) return undefined
  const calls: Array<PlainCall> = []
  let type: string | undefined
  for (const [at, path] of paths.entries()) {
    const known = plain.get(path)
    if (known === undefined || !known.methods.includes(method) || (type ??= known.type) !== known.type) return undefined
    calls.push({ path, run: known.run, raw: inputs[at] })
  }
  return { calls, isBatch }
}

const isRecord = (value: unknown): value is Readonly<Record<number, unknown>> =>
  typeof value === "object" && value !== null

/** The answers in tRPC's own form, and the status of them all. */
export const answerPlainly = (
  { calls, isBatch }: PlainCalls,
  caller: Caller,
): Effect.Effect<{ readonly status: number; readonly body: unknown }, never, Rooms> => {
  const [first] = calls
  if (!isBatch && first !== undefined) {
    return Effect.map(answered(first, caller), (body) => ({ status: getHTTPStatusCode(body), body }))
  }
  return Effect.map(
    Effect.forEach(calls, (call) => answered(call, caller), { concurrency: "unbounded" }),
    (body) => ({ status: getHTTPStatusCode(body), body }),
  )
}

const answered = ({ path, raw, run }: PlainCall, caller: Caller) =>
  Effect.match(run(raw, caller, path), {
    onSuccess: (data) => ({ result: { data } }),
    onFailure: (problem) => ({ error: shapeOf(problem, path) }),
  })

const methodsOf = { query: ["GET", "POST"], mutation: ["POST"] }

interface Known {
  readonly type: string
  readonly methods: ReadonlyArray<string>
  readonly run: Run
}

/** By path; tRPC keeps them flat and types them nested. */
const plain: ReadonlyMap<string, Known> = new Map(
  Object.entries<unknown>(appRouter._def.procedures).flatMap(([path, procedure]) => {
    const { meta, type } = (procedure as { readonly _def: { readonly meta: Meta; readonly type: string } })._def
    if (meta.run === undefined || (type !== "query" && type !== "mutation")) return []
    return [[path, { type, methods: methodsOf[type], run: meta.run }] as const]
  }),
)
