/**
 * The sockets of carriers' media streams. Like carriers' reports they are outside the contract, and have no account
 * header: the path names account and call, and the carrier's signature or the call's token authenticates the handshake.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse, ProblemDetails } from "effect/http"
import { IncomingMessage } from "node:http"
import { CarrierStreams } from "../telephony/CarrierStreams.ts"
import { typeOf } from "./edge/Problem.ts"
import { PathPrefix } from "./edge/RequestId.ts"

export const paths = ["/carriers/twilio/:account/:call/stream", "/carriers/telnyx/:account/:call/stream"] as const

/** Whether the path of a request is one of them. */
export const isPath = (path: string): boolean => /^\/carriers\/(?:twilio|telnyx)\/[^/]+\/[^/]+\/stream$/.test(path)

const problem = (status: number, code: string, title: string, detail: string, headers: Record<string, string> = {}) =>
  HttpServerResponse.jsonUnsafe(
    { type: typeOf(code), title, status, code, detail },
    { status, contentType: ProblemDetails.contentType, headers },
  )

const notSocket = problem(
  426,
  "invalid_request",
  "Invalid request",
  "This path accepts only the WebSocket of a media stream, which a carrier opens for a call.",
  { upgrade: "websocket" },
)
const refused = problem(
  403,
  "signature_wrong",
  "Wrong signature",
  "No call of this process waits for this stream, or the request has not the signature or the token of the call's carrier. With several processes, set PARLEY_STREAM_URL for each.",
)

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const streams = yield* CarrierStreams
    const handle = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const handshake = NodeHttpServerRequest.toIncomingMessage(request)
      const isUpgrade = handshake.headers.upgrade?.toLowerCase() === "websocket"
      if (!isUpgrade || !(handshake instanceof IncomingMessage)) return notSocket
      const { account = "", call = "" } = yield* HttpRouter.params
      // The signature covers the address that the request was sent to, which may have the prefix.
      const urls = [...new Set([request.url, `${yield* PathPrefix}${request.url}`])]
      const isAccepted = yield* streams.accept({ account, call, urls, handshake })
      return isAccepted ? HttpServerResponse.empty() : refused
    })
    return Layer.mergeAll(HttpRouter.add("GET", paths[0], handle), HttpRouter.add("GET", paths[1], handle))
  }),
)
