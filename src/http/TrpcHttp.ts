/** The typed router under HTTP (`/trpc/*`), outside of the contract: its protocol is tRPC's. */
import { Effect, Layer, Option, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { invalid } from "../domain/Refusals.ts"
import { answer, type Call } from "../rpc/Answer.ts"
import { answerPlainly, type Asked, plainCalls } from "../rpc/PlainCalls.ts"
import { strictly } from "./edge/Body.ts"
import { Draining } from "./edge/Draining.ts"
import * as RouterCallers from "./edge/RouterCallers.ts"
import { faultInText, maximumDepth } from "./edge/StrictJson.ts"

/** What follows names procedures, and a batch names many: more than a parameter of the path may hold. */
export const path = "/trpc/*"

type Sent = HttpServerRequest.HttpServerRequest

interface Received extends Asked {
  /** What is wrong with the whole request: found before it is known who asks, told after. */
  readonly fault: { readonly message: string } | undefined
}

/** The request without what is wrong with it. */
const received = Effect.fnUntraced(function* (request: Sent): Effect.fn.Return<Received, never, Sent> {
  const { headers, method, url } = request
  const mark = url.indexOf("?")
  const procedures = url.slice("/trpc/".length, mark < 0 ? undefined : mark)
  const query = new URLSearchParams(mark < 0 ? "" : url.slice(mark))
  const isBatch = query.get("batch") === "1"
  const depth = maximumDepth + (isBatch ? 1 : 0)
  const fault = method === "POST" ? yield* bodyFault(depth) : inputFault(query.get("input"), depth)
  if (fault !== undefined) query.delete("input")
  const text = method !== "POST" ? query.get("input") : fault === undefined ? yield* Effect.orDie(request.text) : "{}"
  const input: unknown = text === null ? (isBatch ? {} : undefined) : JSON.parse(text)
  return { fault, method, procedures, query, header: (name) => headers[name], input }
})

const bodyFault = (depth: number) => Effect.map(Effect.option(Effect.flip(strictly(depth))), Option.getOrUndefined)

const inputFault = (input: string | null, depth: number) => {
  const fault = input === null ? undefined : faultInText(input, depth)
  return fault === undefined ? undefined : invalid(`/query/input${fault.pointer}`, fault.detail)
}

/** As tRPC reads it. Another type than JSON was found out already, and is told in its turn. */
const callOf = ({ header, input, method, procedures, query }: Asked, signal: AbortSignal): Call => {
  const get = (name: string) =>
    method === "POST" && name === "content-type" ? "application/json" : (header(name) ?? null)
  const headers = { get, has: (name: string) => get(name) !== null }
  // The edge has cut off what stood before the path.
  return { method, url: `http://parley/trpc/${procedures}?${query}`, headers, signal, json: async () => input }
}

const isStream = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") === true || headers.has("transfer-encoding")

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const callerOf = yield* RouterCallers.make
    const draining = yield* Draining

    /** tRPC's own answer: to streams, and to what it refuses. */
    const byTrpc = Effect.fnUntraced(function* (asked: Asked, caller: RouterCallers.CallerOf) {
      const gone = new AbortController()
      const response = yield* Effect.promise(() => answer(callOf(asked, gone.signal), asked.procedures, caller)).pipe(
        Effect.onInterrupt(() => Effect.sync(() => gone.abort())),
      )
      const { body, status } = response
      if (body === null || !isStream(response)) {
        const bytes = new Uint8Array(yield* Effect.promise(() => response.arrayBuffer()))
        return HttpServerResponse.uint8Array(bytes, { status, contentType: "application/json" })
      }
      const headers = Object.fromEntries(response.headers)
      // It follows from there being no length; Node adds it.
      delete headers["transfer-encoding"]
      // A proxy that compressed the stream would hold events back.
      headers["cache-control"] = "no-store, no-transform"
      // Ended from here, a stream is not over for its reader, who comes back, to another process.
      const stream = Stream.fromReadableStream({ evaluate: () => body, onError: (error) => error }).pipe(
        Stream.interruptWhen(draining.begun),
      )
      return HttpServerResponse.stream(stream, { status, headers })
    })

    const handle = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { fault, ...asked } = yield* received(request)
      const caller = yield* callerOf(request, () => fault)
      const plain = plainCalls(asked)
      if (plain === undefined) return yield* byTrpc(asked, caller)
      const { body, status } = yield* answerPlainly(plain, caller(null))
      return HttpServerResponse.jsonUnsafe(body, { status })
    })
    return Layer.mergeAll(HttpRouter.add("GET", path, handle), HttpRouter.add("POST", path, handle))
  }),
)
