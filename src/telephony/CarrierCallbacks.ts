/** Requests of carriers. The signature is their only authentication. */
import { Context, type Effect, Schema } from "effect"

export interface CarrierRequest {
  /** As it is in the path, and unverified. */
  readonly account: string
  readonly call: string
  /** The position in the talk; null for a report of the call's status. */
  readonly mark: string | null
  /** The path and query as the carrier sent them, with and without a prefix that a proxy removed. */
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

/** The account that the path names did not sign the request. The request has changed nothing. */
export class SignatureWrong extends Schema.TaggedError<SignatureWrong>()("SignatureWrong", {}) {
  override get message() {
    return "The request is not signed as the carrier signs for this account"
  }
}

/** The report was understood but could not be stored. The carrier may send it again. */
export class NotKept extends Schema.TaggedError<NotKept>()("NotKept", {}) {
  override get message() {
    return "The report could not be stored; send it again"
  }
}

export class CarrierCallbacks extends Context.Service<
  CarrierCallbacks,
  {
    /** Stores the report, then returns the next instructions if the carrier asked for them, else null. */
    readonly twilio: (request: CarrierRequest) => Effect.Effect<string | null, SignatureWrong | NotKept>
    /** Returns after it has stored the webhook's report on the call. `call` comes from the path and is unverified. */
    readonly telnyx: (
      webhook: SignedWebhook & { readonly call: string },
    ) => Effect.Effect<void, SignatureWrong | NotKept>
  }
>()("telephony/CarrierCallbacks") {}
