/**
 * The widget's socket: a visitor in conversation with the key's agent (docs/widget.md). The session's token comes in
 * the first message, because addresses are logged on the way. Nothing is done before it.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse, ProblemDetails } from "effect/http"
import { isOrigin } from "../domain/WidgetKey.ts"
import { ClientAddress } from "./edge/ClientAddress.ts"
import { OpenStreams, refuseStream } from "./edge/OpenStreams.ts"
import { typeOf } from "./edge/Problem.ts"
import { upgradeRequired } from "./edge/UpgradeRequired.ts"
import * as PageSocket from "./page/PageSocket.ts"
import * as PageTalk from "./widget/PageTalk.ts"

export const path = "/api/v1/widget/ws"

const plainRequest = upgradeRequired("Connect to the ws_url of a session.")

const originForbidden = HttpServerResponse.jsonUnsafe(
  {
    type: typeOf("origin_forbidden"),
    title: "Origin forbidden",
    status: 403,
    code: "origin_forbidden",
    detail: "This Origin is not valid, so no key can allow it.",
  },
  { status: 403, contentType: ProblemDetails.contentType },
)

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const clientAddress = yield* ClientAddress
    const converse = yield* PageTalk.make
    const { openForAddress } = yield* OpenStreams

    const handle = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const incoming = NodeHttpServerRequest.toIncomingMessage(request)
      const { headers } = incoming
      const address = clientAddress.of(incoming)
      if (headers.upgrade?.toLowerCase() !== "websocket") return plainRequest
      const origin = Option.fromNullishOr(headers.origin)
      // An opaque origin belongs to no page. The key decides about other origins, once it is known.
      if (Option.isSome(origin) && !isOrigin(origin.value)) return originForbidden
      const leaveAddress = yield* openForAddress(address)
      const socket = yield* Effect.orDie(request.upgrade)
      const place = { origin, address, leaveAddress }
      yield* Effect.ignore(
        PageSocket.serve(socket, (next, { loudspeaker, say }) => converse(next, say, loudspeaker, place)),
      )
      return HttpServerResponse.empty()
    }).pipe(Effect.scoped, Effect.catchTag("TooManyStreams", refuseStream))
    return HttpRouter.add("GET", path, handle)
  }),
)
