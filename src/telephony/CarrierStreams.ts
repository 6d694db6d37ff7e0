/** The media streams that carriers open for calls of this process. The carrier's proof and the call's token admit them. */
import { Context, type Effect } from "effect"
import type { IncomingMessage } from "node:http"

export interface StreamRequest {
  /** As it is in the path, and unverified. */
  readonly account: string
  readonly call: string
  /** The paths as they came, with and without a prefix that the edge took off. */
  readonly urls: ReadonlyArray<string>
  /** The handshake of a WebSocket. Its headers have the carrier's proof. */
  readonly handshake: IncomingMessage
}

export class CarrierStreams extends Context.Service<
  CarrierStreams,
  {
    /**
     * Accepts the handshake and completes when the socket is closed, with true. False if this process waits for no
     * stream of that call, or the carrier did not send the request: the handshake is then not answered.
     */
    readonly accept: (request: StreamRequest) => Effect.Effect<boolean>
  }
>()("telephony/CarrierStreams") {}
