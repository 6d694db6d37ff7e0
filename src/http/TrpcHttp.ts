/** The typed router under HTTP (`/trpc/*`), outside of the contract: its protocol is tRPC's. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Layer, Result, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Invalid, invalid } from "../domain/Refusals.ts"
import { answer, type Call } from "../rpc/Answer.ts"
import { answerPlainly, type Asked, mostOfMembers, mostOfStrangers, plainCalls } from "../rpc/PlainCalls.ts"
import { readStrictly } from "./edge/Body.ts"
import { Draining } from "./edge/Draining.ts"
import { OpenStreams, refuseStream } from "./edge/OpenStreams.ts"
import * as RouterCallers from "./edge/RouterCallers.ts"
import { faultInText, maximumDepth } from "./edge/StrictJson.ts"

/** A wildcard, because a batch names more procedures than a path parameter may hold. */
export const path = "/trpc/*"

type Sent = HttpServerRequest.HttpServerRequest

/** Parses the request. Its input is read only when `input` is called. */
const parseRequest = (request: Sent): Asked & { readonly isBatch: boolean } => {
  const { headers, method, url } = request
  const mark = url.indexOf("?")
  const procedures = url.slice("/trpc/".length, mark < 0 ? undefined : mark)
  const query = new URLSearchParams(mark < 0 ? "" : url.slice(mark))
  const isBatch = query.get("batch") === "1"
  const depth = maximumDepth + (isBatch ? 1 : 0)
  const inUrl = query.get("input")
  const input = (mostBytes: number) => {
    const text =
      method === "POST"
        ? Effect.andThen(readStrictly(depth, mostBytes), Effect.orDie(request.text)).pipe(
            Effect.provideService(HttpServerRequest.HttpServerRequest, request),
          )
        : textInUrl(inUrl, depth)
    return Effect.flatMap(text, (json) => inputIn(json, isBatch))
  }
  return { method, procedures, query, header: (name) => headers[name], input, isBatch }
}

const textInUrl = (text: string | null, depth: number) => {
  const fault = text === null ? undefined : faultInText(text, depth)
  return fault === undefined ? Effect.succeed(text) : Effect.fail(invalid(`/query/input${fault.pointer}`, fault.detail))
}

const inputIn = (json: string | null, isBatch: boolean): Effect.Effect<unknown, Invalid> => {
  const input: unknown = json === null ? (isBatch ? {} : undefined) : JSON.parse(json)
  const fits = !isBatch || (typeof input === "object" && input !== null && !Array.isArray(input))
  return fits ? Effect.succeed(input) : Effect.fail(invalid("", 'must be an object by position for a batch: {"0": …}'))
}

/** The call in tRPC's form. A fault of the input was already found, and is reported with its call. */
const callOf = ({ header, method, procedures, query }: Asked, input: unknown, signal: AbortSignal): Call => {
  const get = (name: string) =>
    method === "POST" && name === "content-type" ? "application/json" : (header(name) ?? null)
  const headers = { get, has: (name: string) => get(name) !== null }
  // The edge has removed the prefix of the path.
  return { method, url: `http://parley/trpc/${procedures}?${query}`, headers, signal, json: async () => input }
}

const isStream = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") === true || headers.has("transfer-encoding")

const streamHeaders = (response: Response) => {
  const headers = Object.fromEntries(response.headers)
  // Node adds it itself when there is no length.
  delete headers["transfer-encoding"]
  // A proxy that compressed the stream would hold events back.
  headers["cache-control"] = "no-store, no-transform"
  return headers
}

/** Runs `over` when the request's connection is closed, or now if it is. */
const onClose = (request: Sent, over: () => void) => {
  const connection = NodeHttpServerRequest.toServerResponse(request)
  if (connection.destroyed) over()
  else connection.once("close", over)
}

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const callerOf = yield* RouterCallers.make
    const draining = yield* Draining
    const { openForAccount } = yield* OpenStreams

    /** Lets tRPC answer: streams, and requests that it refuses. */
    const byTrpc = Effect.fnUntraced(function* (
      request: Sent,
      { isBatch, ...asked }: ReturnType<typeof parseRequest>,
      callerOf: RouterCallers.CallerOf,
    ) {
      const gone = new AbortController()
      const isProved = asked.method !== "POST" || (yield* Effect.exit(callerOf(null).prove))._tag === "Success"
      const input = yield* Effect.result(asked.input(isProved ? mostOfMembers : mostOfStrangers))
      const isRead = Result.isSuccess(input)
      if (!isRead) asked.query.delete("input")
      const call = callOf(asked, isRead ? input.success : isBatch ? {} : undefined, gone.signal)
      let account = asked.header("x-account-id")
      const caller: RouterCallers.CallerOf = (said) => {
        account = said?.["x-account-id"] ?? account
        return isRead ? callerOf(said) : { ...callerOf(said), fault: input.failure }
      }
      const response = yield* Effect.promise(() => answer(call, asked.procedures, caller)).pipe(
        Effect.onInterrupt(() => Effect.sync(() => gone.abort())),
      )
      const { body, status } = response
      if (body === null || !isStream(response)) {
        const bytes = new Uint8Array(yield* Effect.promise(() => response.arrayBuffer()))
        return HttpServerResponse.uint8Array(bytes, { status, contentType: "application/json" })
      }
      // An admitted stream. When its reader has gone, its place is free and its subscription ends.
      const giveBack =
        account === undefined
          ? () => {}
          : yield* openForAccount(account).pipe(Effect.tapError(() => Effect.sync(() => gone.abort())))
      onClose(request, () => {
        giveBack()
        gone.abort()
      })
      // A stream that this process ends is not over for its reader, which reconnects to another process.
      const stream = Stream.fromReadableStream({ evaluate: () => body, onError: (error) => error }).pipe(
        Stream.interruptWhen(draining.begun),
      )
      return HttpServerResponse.stream(stream, { status, headers: streamHeaders(response) })
    })

    const handle = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const asked = parseRequest(request)
      const caller = yield* callerOf(request)
      const plain = plainCalls(asked)
      if (plain === undefined)
        return yield* Effect.catchTag(byTrpc(request, asked, caller), "TooManyStreams", refuseStream)
      const { bytes, status } = yield* answerPlainly(plain, caller(null))
      return HttpServerResponse.uint8Array(bytes, { status, contentType: "application/json" })
    })
    return Layer.mergeAll(HttpRouter.add("GET", path, handle), HttpRouter.add("POST", path, handle))
  }),
)
