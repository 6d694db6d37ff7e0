/**
 * The sockets of carriers' media streams. Like carriers' reports they are outside the contract, and have no account
 * header: the path names account and call, and the carrier's signature authenticates the handshake.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse, ProblemDetails } from "effect/http"
import { IncomingMessage } from "node:http"
import { CarrierStreams } from "../telephony/CarrierStreams.ts"
import { typeOf } from "./edge/Problem.ts"
import { PathPrefix } from "./edge/RequestId.ts"

export const path = "/carriers/twilio/:account/:call/stream"

/** Whether the path of a request is one of them. */
export const isPath = (path: string): boolean => /^\/carriers\/twilio\/[^/]+\/[^/]+\/stream$/.test(path)

const problem = (status: number, code: string, title: string, detail: string, headers: Record<string, string> = {}) =>
  HttpServerResponse.jsonUnsafe(
    { type: typeOf(code), title, status, code, detail },
    { status, contentType: ProblemDetails.contentType, headers },
  )

const notSocket = problem(
  426,
  "invalid_request",
  "Invalid request",
  "This path accepts only the WebSocket of a media stream, which Twilio opens for a call.",
  { upgrade: "websocket" },
)
const refused = problem(
  403,
  "signature_wrong",
  "Wrong signature",
  "No call of this process waits for this stream, or the request is not signed as the carrier signs for its account. With several processes, set PARLEY_STREAM_URL for each.",
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
      // It was signed under the address that it was sent to.
      const urls = [...new Set([request.url, `${yield* PathPrefix}${request.url}`])]
      const signature = request.headers["x-twilio-signature"] ?? ""
      const isAccepted = yield* streams.twilio({ account, call, urls, signature, handshake })
      return isAccepted ? HttpServerResponse.empty() : refused
    })
    return HttpRouter.add("GET", path, handle)
  }),
)
