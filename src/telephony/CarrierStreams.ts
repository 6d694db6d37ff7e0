/**
 * The media streams that carriers open for calls of this process. A stream is admitted by the carrier's signature, if
 * it signs, and by the call's token.
 */
import { Context, type Effect } from "effect"
import type { IncomingMessage } from "node:http"

export interface StreamRequest {
  /** As it is in the path, and unverified. */
  readonly account: string
  readonly call: string
  /** The paths as the carrier sent them, with and without a prefix that a proxy removed. */
  readonly urls: ReadonlyArray<string>
  /** The WebSocket handshake. Its headers carry the carrier's signature or the token. */
  readonly handshake: IncomingMessage
}

export class CarrierStreams extends Context.Service<
  CarrierStreams,
  {
    /**
     * Accepts the handshake and returns true when the socket has closed. Returns false, and leaves the handshake
     * unanswered, if this process expects no stream of that call or the carrier did not send the request.
     */
    readonly accept: (request: StreamRequest) => Effect.Effect<boolean>
  }
>()("telephony/CarrierStreams") {}
