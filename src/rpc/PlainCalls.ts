/**
 * Calls whose answers are one piece of JSON, run in the request's fiber. tRPC makes promises, abort signals and a web
 * response for each, which takes as long as a read itself (decision 0020). Any other request is left to tRPC, which
 * also reports its faults.
 */
import { Effect } from "effect"
import { joinPieces, jsonBytes } from "../offload/WideAnswer.ts"
import { largestBatch } from "./Answer.ts"
import type { Caller, RequiredPermission, Rooms } from "./Caller.ts"
import { answerTooLarge, levelsToItems, type Problem, shapeOf } from "./Problem.ts"
import type { Meta } from "./Procedure.ts"
import { appRouter } from "./Router.ts"
import type { Run, Sent } from "./Run.ts"

/** A request. Only its address and its headers were read so far. */
export interface Asked {
  readonly method: string
  /** The part of the path after `/trpc/`. */
  readonly procedures: string
  readonly query: URLSearchParams
  readonly header: (name: string) => string | undefined
  /** Reads the body, once. Refuses a body of more bytes, and one that is not strict JSON. */
  readonly input: (mostBytes: number) => Sent
}

/** The largest body without a valid token; a login is shorter. */
export const mostOfStrangers = 16 * 1024

/** The largest body with a valid token. */
export const mostOfMembers = 1024 * 1024

export interface PlainCalls {
  readonly calls: ReadonlyArray<PlainCall>
  readonly isBatch: boolean
  readonly sent: Sent
}

interface PlainCall {
  readonly path: string
  readonly run: Run
}

/** The calls of a request. Undefined if tRPC has to answer it. */
export const plainCalls = ({ header, input, method, procedures, query }: Asked): PlainCalls | undefined => {
  for (const name of query.keys()) if (name !== "input" && name !== "batch") return undefined
  if (header("trpc-accept") !== undefined || header("accept")?.includes("jsonl") === true) return undefined
  const isBatch = query.get("batch") === "1"
  const paths = isBatch ? procedures.split(",") : [procedures]
  if (paths.length > largestBatch || (paths.length > 1 && header("idempotency-key") !== undefined)) return undefined
  const calls: Array<PlainCall> = []
  const isForStrangers = paths.some((path) => plain.get(path)?.needs === "none")
  const sent = input(isForStrangers ? mostOfStrangers : mostOfMembers)
  let type: string | undefined
  for (const path of paths) {
    const known = plain.get(path)
    if (known === undefined || !known.methods.includes(method) || (type ??= known.type) !== known.type) return undefined
    calls.push({ path, run: known.run })
  }
  return { calls, isBatch, sent }
}

/** The input of one call of a batch: a batch's input is an object with the calls' positions as keys. */
const partAt = (at: number) => (inputs: unknown) => (inputs as Readonly<Record<number, unknown>>)[at]

/** Calls of a batch that run at the same time: an account has ten connections to its database. */
const mostAtOnce = 8
/** Bytes. When the answers of a batch exceed this, its remaining calls are not begun. */
const mostAnswered = 8 * 1024 * 1024

interface Answered {
  readonly status: number
  /** JSON in tRPC's own form. */
  readonly bytes: Uint8Array
}

/** Runs the calls. Returns their answers in tRPC's own form, and one status: 207 if their statuses differ. */
export const answerPlainly = (
  { calls, isBatch, sent }: PlainCalls,
  caller: Caller,
): Effect.Effect<Answered, never, Rooms> => {
  const [first] = calls
  return !isBatch && first !== undefined
    ? answerCall(first, sent, caller)
    : Effect.flatMap(Effect.cached(sent), (read) => answerBatch(calls, read, caller))
}

const answerBatch = Effect.fnUntraced(function* (calls: ReadonlyArray<PlainCall>, sent: Sent, caller: Caller) {
  let length = 0
  const one = (call: PlainCall, at: number) =>
    Effect.suspend(() =>
      length > mostAnswered
        ? writeAnswer({ error: shapeOf(tooMuch(caller.request_id), call.path) })
        : Effect.tap(answerCall(call, Effect.map(sent, partAt(at)), caller), ({ bytes }) =>
            Effect.sync(() => void (length += bytes.length)),
          ),
    )
  const answers = yield* Effect.forEach(calls, one, { concurrency: mostAtOnce })
  const [status = 200, ...others] = new Set(answers.map((answer) => answer.status))
  const pieces = answers.flatMap(({ bytes }, at) => [at === 0 ? opening : comma, bytes])
  return { status: others.length > 0 ? 207 : status, bytes: yield* joinPieces([...pieces, closing]) }
})

const mark = (text: string): Uint8Array => new TextEncoder().encode(text)
const [opening, comma, closing] = [mark("["), mark(","), mark("]")]

const answerCall = ({ path, run }: PlainCall, sent: Sent, caller: Caller) =>
  Effect.matchEffect(run(sent, caller, path), {
    onSuccess: (data) => writeAnswer({ result: { data } }),
    onFailure: (problem) => writeAnswer({ error: shapeOf(problem, path) }),
  })

const writeAnswer = (
  body: { readonly result: object } | { readonly error: ReturnType<typeof shapeOf> },
): Effect.Effect<Answered> =>
  Effect.map(jsonBytes(body, levelsToItems), (bytes) => ({
    status: "error" in body ? body.error.data.httpStatus : 200,
    bytes,
  }))

const tooMuch = (request_id: string): Problem =>
  answerTooLarge(
    request_id,
    "The answers before this one fill the batch, so this call was not begun. Send it in another request.",
  )

const methodsOf = { query: ["GET", "POST"], mutation: ["POST"] }

interface Known {
  readonly type: string
  readonly needs: RequiredPermission
  readonly methods: ReadonlyArray<string>
  readonly run: Run
}

/** The procedures by path. tRPC keeps them flat and types them as nested. */
const plain: ReadonlyMap<string, Known> = new Map(
  Object.entries<unknown>(appRouter._def.procedures).flatMap(([path, procedure]) => {
    const { meta, type } = (procedure as { readonly _def: { readonly meta: Meta; readonly type: string } })._def
    if (meta.run === undefined || (type !== "query" && type !== "mutation")) return []
    return [[path, { type, needs: meta.needs, methods: methodsOf[type], run: meta.run }] as const]
  }),
)
