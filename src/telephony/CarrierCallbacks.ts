/** Requests of carriers. The signature is their only authentication. */
import { Context, type Effect, Schema } from "effect"

export interface CarrierRequest {
  /** As it is in the path, and unverified. */
  readonly account: string
  readonly call: string
  /** The position in the talk; null for a report of the call's status. */
  readonly mark: string | null
  /** The path and query as they came, with and without a prefix that the edge took off. */
  readonly urls: ReadonlyArray<string>
  readonly language: string
  readonly form: URLSearchParams
  readonly signature: string
}

/** A webhook whose signature covers its body and its time. */
export interface SignedWebhook {
  /** As it is in the path, and unverified. */
  readonly account: string
  readonly body: string
  readonly signature: string
  /** Seconds since 1970, as text. */
  readonly timestamp: string
}

/** The request is not signed by the account that the path names: nothing was changed. */
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
    /** Stores the report before it returns; the result says how the call goes on, if the carrier asked. */
    readonly twilio: (request: CarrierRequest) => Effect.Effect<string | null, SignatureWrong | NotKept>
    /** Stores what the webhook says of the call before it returns. `call` is as it is in the path, and unverified. */
    readonly telnyx: (
      webhook: SignedWebhook & { readonly call: string },
    ) => Effect.Effect<void, SignatureWrong | NotKept>
  }
>()("telephony/CarrierCallbacks") {}
