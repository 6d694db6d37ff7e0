/** The media streams that Twilio opens for calls of this process: each request is signed with the token of the call's account. */
import { Context, Effect, Layer, type Scope } from "effect"
import type { AccountSlug } from "../../domain/Account.ts"
import type { CallId } from "../../domain/Call.ts"
import { CarrierStreams, type StreamRequest } from "../CarrierStreams.ts"
import { MediaClock } from "../MediaClock.ts"
import { ExpectedStream } from "../stream/ExpectedStream.ts"
import { accept, StreamSocket } from "../stream/StreamSocket.ts"
import { twilioDialect } from "../stream/TwilioDialect.ts"
import { TwilioSettings } from "./TwilioSettings.ts"
import { isSigned } from "./TwilioSignature.ts"

/** Twilio sends the first messages at once. */
const startsWithin = "5 seconds"

export interface StreamedCall {
  readonly account: AccountSlug
  readonly call_id: CallId
  readonly auth_token: string
}

export class TwilioStreams extends Context.Service<
  TwilioStreams,
  {
    /** Admits streams of the call until the scope closes, and closes them then. */
    readonly expect: (call: StreamedCall) => Effect.Effect<ExpectedStream, never, Scope.Scope>
    readonly accept: (request: StreamRequest) => Effect.Effect<boolean>
  }
>()("telephony/twilio/TwilioStreams") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const { now } = yield* MediaClock
      const { stream_url } = yield* TwilioSettings
      const calls = new Map<string, { readonly auth_token: string; readonly expected: ExpectedStream }>()
      const keyOf = (account: string, call: string) => `${account}/${call}`

      const expect = ({ account, auth_token, call_id }: StreamedCall) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const expected = new ExpectedStream(twilioDialect, now)
            calls.set(keyOf(account, call_id), { auth_token, expected })
            return expected
          }),
          ({ path }) =>
            Effect.sync(() => {
              calls.delete(keyOf(account, call_id))
              path.close()
            }),
        )

      /** Twilio signs the URL that it was given, sometimes with a slash at its end. */
      const isFromTwilio = (auth_token: string, { signature, urls }: StreamRequest) => {
        const full = urls.flatMap((url) => [`${stream_url}${url}`, `${stream_url}${url}/`])
        return isSigned(auth_token, full, new URLSearchParams(), signature)
      }

      return {
        expect,
        accept: Effect.fnUntraced(function* (request) {
          const call = calls.get(keyOf(request.account, request.call))
          if (call === undefined || !call.expected.isOpen || !isFromTwilio(call.auth_token, request)) return false
          let expire = () => {}
          yield* Effect.forkChild(
            Effect.andThen(
              Effect.sleep(startsWithin),
              Effect.sync(() => expire()),
            ),
          )
          yield* accept(request.handshake, (socket) => {
            expire = call.expected.admit(new StreamSocket(socket, twilioDialect, now))
          })
          return true
        }),
      }
    }),
  )

  /** Where Twilio's requests come in. */
  static readonly door = Layer.effect(
    CarrierStreams,
    Effect.map(this, ({ accept }) => ({ twilio: accept })),
  )
}
