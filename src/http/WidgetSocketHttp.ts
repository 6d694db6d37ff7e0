/**
 * The widget's socket: a visitor in conversation with the key's agent (docs/widget.md). The session's token comes in
 * the first message, since addresses are logged on the way; nothing is done before it.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse, ProblemDetails } from "effect/http"
import { Socket } from "effect/socket"
import { isOrigin } from "../domain/WidgetKey.ts"
import { ClientAddress } from "./edge/ClientAddress.ts"
import { OpenStreams, refuseStream } from "./edge/OpenStreams.ts"
import { typeOf } from "./edge/Problem.ts"
import type { Place } from "./widget/Hello.ts"
import * as Intake from "./widget/Intake.ts"
import * as Outbox from "./widget/Outbox.ts"
import * as PageTalk from "./widget/PageTalk.ts"

export const path = "/api/v1/widget/ws"

const problem = (status: number, code: string, title: string, detail: string, headers: Record<string, string> = {}) =>
  HttpServerResponse.jsonUnsafe(
    { type: typeOf(code), title, status, code, detail },
    { status, contentType: ProblemDetails.contentType, headers },
  )

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const clientAddress = yield* ClientAddress
    const converse = yield* PageTalk.make
    const { openForAddress } = yield* OpenStreams

    const serve = Effect.fnUntraced(function* (socket: Socket.Socket, place: Place) {
      const intake = yield* Intake.make(yield* socket.reader)
      const writer = yield* socket.writer
      const { loudspeaker, say, sendAll } = yield* Outbox.make(writer)
      const end = yield* Effect.raceFirst(converse(intake, say, loudspeaker, place), sendAll).pipe(
        Effect.scoped,
        Effect.flip,
      )
      if (end.message !== undefined) yield* Effect.ignore(writer.write(JSON.stringify(end.message)))
      yield* Effect.ignore(writer.write(new Socket.CloseEvent(end.code)))
    }, Effect.scoped)

    const handle = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const incoming = NodeHttpServerRequest.toIncomingMessage(request)
      const { headers } = incoming
      const address = clientAddress.of(incoming)
      if (headers.upgrade?.toLowerCase() !== "websocket") {
        const detail = "This path accepts only WebSocket connections. Connect to the ws_url of a session."
        return problem(426, "invalid_request", "Invalid request", detail, { upgrade: "websocket" })
      }
      const origin = Option.fromNullishOr(headers.origin)
      // An opaque origin belongs to no page. The key decides about other origins, once it is known.
      if (Option.isSome(origin) && !isOrigin(origin.value)) {
        return problem(403, "origin_forbidden", "Origin forbidden", "This Origin is not valid, so no key can allow it.")
      }
      const leaveAddress = yield* openForAddress(address)
      const socket = yield* Effect.orDie(request.upgrade)
      yield* Effect.ignore(serve(socket, { origin, address, leaveAddress }))
      return HttpServerResponse.empty()
    }).pipe(Effect.scoped, Effect.catchTag("TooManyStreams", refuseStream))
    return HttpRouter.add("GET", path, handle)
  }),
)
