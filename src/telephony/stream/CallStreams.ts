/** The media streams that carriers open for calls of this process. Each call decides which requests it admits. */
import { Context, Effect, Layer, type Scope } from "effect"
import type { AccountSlug } from "../../domain/Account.ts"
import type { CallId } from "../../domain/Call.ts"
import { CarrierStreams, type StreamRequest } from "../CarrierStreams.ts"
import { MediaClock } from "../MediaClock.ts"
import type { Dialect } from "./Dialect.ts"
import { ExpectedStream } from "./ExpectedStream.ts"
import { accept, StreamSocket } from "./StreamSocket.ts"

/** A stream must begin within this time of its handshake. Carriers send the first messages at once. */
const startsWithin = "5 seconds"

export interface StreamedCall {
  readonly account: AccountSlug
  readonly call_id: CallId
  /** Whether the request comes from the carrier of the call. */
  readonly admits: (request: StreamRequest, expected: ExpectedStream) => boolean
  readonly dialect: (request: StreamRequest) => Dialect
}

export class CallStreams extends Context.Service<
  CallStreams,
  {
    /** Admits streams of the call until the scope closes, and closes them then. */
    readonly expect: (call: StreamedCall) => Effect.Effect<ExpectedStream, never, Scope.Scope>
    readonly accept: (request: StreamRequest) => Effect.Effect<boolean>
  }
>()("telephony/stream/CallStreams") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const { now } = yield* MediaClock
      const calls = new Map<string, StreamedCall & { readonly expected: ExpectedStream }>()
      const keyOf = (account: string, call: string) => `${account}/${call}`

      const expect = (call: StreamedCall) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const expected = new ExpectedStream(now)
            calls.set(keyOf(call.account, call.call_id), { ...call, expected })
            return expected
          }),
          ({ path }) =>
            Effect.sync(() => {
              calls.delete(keyOf(call.account, call.call_id))
              path.close()
            }),
        )

      return {
        expect,
        accept: Effect.fnUntraced(function* (request) {
          const call = calls.get(keyOf(request.account, request.call))
          if (call === undefined || !call.expected.isOpen || !call.admits(request, call.expected)) return false
          let expire = () => {}
          yield* Effect.forkChild(
            Effect.andThen(
              Effect.sleep(startsWithin),
              Effect.sync(() => expire()),
            ),
          )
          yield* accept(request.handshake, (socket) => {
            const dialect = call.dialect(request)
            expire = call.expected.admit(new StreamSocket(socket, dialect, now), dialect)
          })
          return true
        }),
      }
    }),
  )

  /** Where the carriers' requests come in. */
  static readonly door = Layer.effect(
    CarrierStreams,
    Effect.map(this, ({ accept }) => ({ accept })),
  )
}
