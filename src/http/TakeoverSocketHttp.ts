/**
 * The socket of a supervisor who talks on a call in the agent's place. The token of the take-over comes in the first
 * message, because addresses are logged on the way. Nothing is done before it.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Calls } from "../calls/Calls.ts"
import { socketPath } from "../domain/Takeover.ts"
import { FromSupervisor, TakeoverHello } from "../domain/TakeoverMessage.ts"
import { ClientAddress } from "./edge/ClientAddress.ts"
import { OpenStreams, refuseStream } from "./edge/OpenStreams.ts"
import { upgradeRequired } from "./edge/UpgradeRequired.ts"
import type { Intake } from "./page/Intake.ts"
import { type Outgoing, serve } from "./page/PageSocket.ts"
import { closing, refuse, SocketEnd } from "./page/SocketEnd.ts"

export const path = socketPath

/** A page sends the hello at once, and then sound all the time. */
const helloWithin = "10 seconds"

const decodeHello = Schema.decodeUnknownOption(Schema.fromJsonString(TakeoverHello))
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(FromSupervisor))

const notHello = refuse(
  "invalid_message",
  `The first message must be {"type":"hello","token":…} with the token of a take-over, and must come within ${helloWithin} of connecting.`,
)
const unknownToken = refuse(
  "takeover_unknown",
  "No take-over has this token: it is over, or its 30 seconds have passed. Ask for a new token.",
)
const notFrame = refuse("invalid_frame", "A frame must have a number of 4 bytes and 640 bytes of samples.")

const plainRequest = upgradeRequired("Ask for a token by POST /api/v1/calls/{id}/takeover first.")

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const clientAddress = yield* ClientAddress
    const { joinTakeover } = yield* Calls
    const { openForAccount, openForAddress } = yield* OpenStreams

    /** Passes on what the page says, until the socket or the take-over ends, which it reports as a failure. */
    const talk = Effect.fnUntraced(function* (next: Intake, { loudspeaker, say }: Outgoing, leaveAddress: () => void) {
      const first = yield* next(() => notHello).pipe(
        Effect.timeoutOrElse({ duration: helloWithin, orElse: () => Effect.fail(notHello) }),
      )
      const hello = decodeHello(first)
      if (Option.isNone(hello)) return yield* Effect.fail(notHello)
      const admit = (account: string) =>
        Effect.mapError(
          openForAccount(account),
          ({ message }) =>
            new SocketEnd(closing.unavailable, { type: "refused", code: "too_many_streams", detail: message }),
        )
      const joined = yield* joinTakeover(hello.value.token, { loudspeaker, tell: say }, admit)
      if (joined === null) return yield* Effect.fail(unknownToken)
      leaveAddress()
      while (true) {
        const message = decode(yield* next((frame) => (joined.hear(frame) ? undefined : notFrame)))
        if (Option.isNone(message) || message.value.type === "hello") {
          return yield* Effect.fail(refuse("invalid_message", "After the hello, a message must be a hand_back."))
        }
        joined.handBack()
      }
    })

    const handle = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const incoming = NodeHttpServerRequest.toIncomingMessage(request)
      if (incoming.headers.upgrade?.toLowerCase() !== "websocket") return plainRequest
      const leaveAddress = yield* openForAddress(clientAddress.of(incoming))
      const socket = yield* Effect.orDie(request.upgrade)
      yield* Effect.ignore(serve(socket, (next, outbox) => talk(next, outbox, leaveAddress)))
      return HttpServerResponse.empty()
    }).pipe(Effect.scoped, Effect.catchTag("TooManyStreams", refuseStream))
    return HttpRouter.add("GET", path, handle)
  }),
)
