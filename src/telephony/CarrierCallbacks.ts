/** What carriers tell us over HTTP. Who asks is known by a signature alone: it is the authentication of these requests. */
import { Context, type Effect, Schema } from "effect"

export interface CarrierRequest {
  /** As they stand in the path: nothing of them is known to be true. */
  readonly account: string
  readonly call: string
  /** The place in the talk; null for a report of the call's status. */
  readonly mark: string | null
  /** The path and query as they came, with and without a prefix that the edge took off. */
  readonly urls: ReadonlyArray<string>
  readonly language: string
  readonly form: URLSearchParams
  readonly signature: string
}

/** Not signed by the account that the path names: nothing was changed. */
export class SignatureWrong extends Schema.TaggedError<SignatureWrong>()("SignatureWrong", {}) {
  override get message() {
    return "The request is not signed as the carrier signs for this account"
  }
}

/** It was understood, and could not be kept: the carrier may send it again. */
export class NotKept extends Schema.TaggedError<NotKept>()("NotKept", {}) {
  override get message() {
    return "The report could not be kept; send it again"
  }
}

export class CarrierCallbacks extends Context.Service<
  CarrierCallbacks,
  {
    /** Keeps the report before it returns; gives how the call is to go on, where that was asked. */
    readonly twilio: (request: CarrierRequest) => Effect.Effect<string | null, SignatureWrong | NotKept>
  }
>()("telephony/CarrierCallbacks") {}
