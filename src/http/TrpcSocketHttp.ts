/** The typed router over a WebSocket (`/trpc-ws`): one connection for calls and live views. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { IncomingMessage } from "node:http"
import { invalid } from "../domain/Refusals.ts"
import { converse, type Introduction, open, SocketClose } from "../rpc/SocketSession.ts"
import { ClientAddress } from "./edge/ClientAddress.ts"
import { Draining } from "./edge/Draining.ts"
import { OpenStreams, refuseStream } from "./edge/OpenStreams.ts"
import { RateLimit } from "./edge/RateLimit.ts"
import * as RouterCallers from "./edge/RouterCallers.ts"
import { faultInText, maximumDepth } from "./edge/StrictJson.ts"
import { upgradeRequired } from "./edge/UpgradeRequired.ts"

export const path = "/trpc-ws"

/** RFC 6455 §7.4: the service restarts; the client may reconnect. */
const restarting = 1012
const tryAgainLater = 1013

/** A message obeys the rules of a body (decisions §2); its input may be as deep as one. */
const faultIn = (text: string, depthOfInput: number) => {
  const fault = faultInText(text, maximumDepth + depthOfInput)
  if (fault === undefined) return undefined
  return invalid(fault.pointer.replace(/^(?:\/\d+)?\/params\/input/, ""), fault.detail)
}

const plainRequest = upgradeRequired("Send calls over HTTP to /trpc.")

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const callerOf = yield* RouterCallers.make
    const draining = yield* Draining
    const { count } = yield* RateLimit
    const clientAddress = yield* ClientAddress
    const { openForAccount, openForAddress } = yield* OpenStreams

    const handle = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const incoming = NodeHttpServerRequest.toIncomingMessage(request)
      const isUpgrade = incoming.headers.upgrade?.toLowerCase() === "websocket"
      if (!isUpgrade || !(incoming instanceof IncomingMessage)) return plainRequest
      const address = clientAddress.of(incoming)
      const of = yield* callerOf(request)
      /** Every call counts as a request of the sender, whose credentials may have come in the first message. */
      const countingCallerOf: RouterCallers.CallerOf = (said) => {
        const { enter, ...caller } = of(said)
        const one = count({ address, credential: said?.["authorization"] ?? incoming.headers.authorization })
        return {
          ...caller,
          enter: (needs, doing) =>
            Effect.flatMap(one, (refusal) => (refusal === undefined ? enter(needs, doing) : Effect.fail(refusal))),
        }
      }
      // The socket counts for its address until the token is proved, and then for the account.
      const leaveAddress = yield* openForAddress(address)
      const admit: Introduction["admit"] = Effect.fnUntraced(function* (said, isProved) {
        const slug = said?.["x-account-id"] ?? incoming.headers["x-account-id"]
        if (!isProved || typeof slug !== "string") return
        yield* Effect.mapError(openForAccount(slug), ({ message }) => new SocketClose(tryAgainLater, message))
        leaveAddress()
      })
      const socket = yield* open(incoming)
      if (socket === undefined) return HttpServerResponse.empty()
      const isAnnounced = new URLSearchParams(request.url.split("?")[1]).get("connectionParams") === "1"
      const { code, reason } = yield* Effect.raceFirst(
        converse(socket, { admit, callerOf: countingCallerOf, isAnnounced, faultIn }),
        Effect.as(draining.begun, new SocketClose(restarting, "The service restarts")),
      ).pipe(Effect.onInterrupt(() => Effect.sync(() => socket.close(restarting))))
      socket.close(code, reason)
      return HttpServerResponse.empty()
    }).pipe(Effect.scoped, Effect.catchTag("TooManyStreams", refuseStream))
    return HttpRouter.add("GET", path, handle)
  }),
)
