/**
 * The access log: a line of JSON for each answered request. It names the route and never the client's path, since a
 * path may contain a phone number.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, Config, Context, Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import process from "node:process"
import type { Duplex } from "node:stream"
import { Environment } from "../../tenancy/Environment.ts"
import { ClientAddress } from "./ClientAddress.ts"
import type { RouteOf } from "./RouteTable.ts"

/** What the rest of the edge finds out about a request while it is answered. */
export interface RequestFacts {
  /** The slug, once the request's credentials have opened the account. */
  account: string | undefined
  /** The status with which a request to open a socket was refused. */
  refusedWith: number | undefined
}

/** Undefined if the request is not followed. */
export const RequestFacts = Context.Reference<RequestFacts | undefined>("http/RequestFacts", {
  defaultValue: () => undefined,
})

/** Asked every few seconds by balancers and scrapers. */
const probes: ReadonlySet<string | undefined> = new Set(["/healthz", "/readyz", "/metrics"])

/** Which requests have a line: `requests` are all but successful probes. */
const Kept = Config.option(Config.Literals(["off", "failures", "requests", "all"], "PARLEY_ACCESS_LOG"))

/** Writes lines once a tick of the event loop: a write for each would cost a request more than the rest of its line. */
const makeGatheredWriter = () => {
  let lines = ""
  const flush = () => {
    if (lines !== "") process.stdout.write(lines)
    lines = ""
  }
  return {
    flush,
    write: (line: object) => {
      if (lines === "") setImmediate(flush)
      lines += `${JSON.stringify(line)}\n`
    },
  }
}

export class AccessLog extends Context.Service<
  AccessLog,
  {
    /** Writes the line when the answer has been sent, or the client has gone. Undefined if the access log is off. */
    readonly follow: (
      request: HttpServerRequest.HttpServerRequest,
      path: string,
      request_id: string,
      routeOf: RouteOf,
    ) => RequestFacts | undefined
    /** Writes the line of a request that HTTP's parser refused. */
    readonly refused: (socket: Duplex, status: number, request_id: string) => void
  }
>()("http/AccessLog") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const isProduction = (yield* Environment) === "production"
      const kept = (yield* Kept).pipe((kept) => (kept._tag === "Some" ? kept.value : isProduction ? "requests" : "off"))
      const clock = yield* Clock.Clock
      const { of: addressOf } = yield* ClientAddress
      const { flush, write } = makeGatheredWriter()
      yield* Effect.addFinalizer(() => Effect.sync(flush))

      const isKept = (route: string | undefined, hasFailed: boolean): boolean =>
        kept === "all" || hasFailed || (kept === "requests" && !probes.has(route))
      const head = (message: string, request_id: string) => ({
        time: new Date(clock.currentTimeMillisUnsafe()).toISOString(),
        level: "info",
        message,
        request_id,
      })

      return {
        follow: (original, path, request_id, routeOf) => {
          const parts = kept === "off" ? undefined : partsOf(original)
          if (parts === undefined) return undefined
          const { request, response } = parts
          const facts: RequestFacts = { account: undefined, refusedWith: undefined }
          const began = clock.monotonicTimeNanosUnsafe()
          const { method = "", socket } = request
          const address = addressOf(request)
          const sentBefore = socket.bytesWritten
          const end = (status: number | undefined, isAborted: boolean) => {
            const route = routeOf(method, path)
            if (!isKept(route, isAborted || status === undefined || status >= 400)) return
            const message = isAborted ? "request aborted by the client" : "request"
            const ms = Number(clock.monotonicTimeNanosUnsafe() - began) / 1e6
            const bytes = socket.bytesWritten - sentBefore
            const { account } = facts
            write({ ...head(message, request_id), account, method, route: route ?? "none", status, ms, bytes, address })
          }
          if (response === undefined) socket.once("close", () => end(facts.refusedWith ?? 101, false))
          else {
            response.once("close", () =>
              end(response.headersSent ? response.statusCode : undefined, !response.writableFinished),
            )
          }
          return facts
        },
        refused: (socket, status, request_id) => {
          if (kept === "off") return
          const address = socket instanceof Socket ? addressOf({ headers: {}, socket }) : undefined
          write({ ...head("request refused unread", request_id), status, address })
        },
      }
    }),
  )
}

/** Node's request and its answer; no answer if the request is to open a socket, which is followed until it closes. */
const partsOf = (original: HttpServerRequest.HttpServerRequest) => {
  const request = NodeHttpServerRequest.toIncomingMessage(original)
  if (!(request instanceof IncomingMessage)) return undefined
  // Node sets `upgrade` where its server accepts the upgrade. Asking for the answer of such a request would take its
  // socket.
  if ("upgrade" in request && request.upgrade === true) return { request, response: undefined }
  const response = NodeHttpServerRequest.toServerResponse(original)
  return response instanceof ServerResponse ? { request, response } : undefined
}
