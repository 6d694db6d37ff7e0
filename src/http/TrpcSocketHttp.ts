/** The typed router over a WebSocket (`/trpc-ws`): one connection for calls and live views. */
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse, ProblemDetails } from "effect/http"
import { IncomingMessage } from "node:http"
import { invalid } from "../domain/Refusals.ts"
import { open } from "../rpc/Conversation.ts"
import { Draining } from "./edge/Draining.ts"
import { typeOf } from "./edge/Problem.ts"
import { RateLimit, senderOf } from "./edge/RateLimit.ts"
import * as RouterCallers from "./edge/RouterCallers.ts"
import { faultInText } from "./edge/StrictJson.ts"

export const path = "/trpc-ws"

/** RFC 6455 §7.4: the service restarts; a client connects again. */
const restarting = 1012

/** A message is parsed when it comes here, so that no key can stand twice in it; the rest of decisions §2 holds. */
const faultIn = (input: unknown) => {
  const fault = faultInText(JSON.stringify(input ?? null))
  return fault === undefined ? undefined : invalid(fault.pointer, fault.detail)
}

const upgradeRequired = HttpServerResponse.jsonUnsafe(
  {
    type: typeOf("invalid_request"),
    title: "Invalid request",
    status: 426,
    code: "invalid_request",
    detail: "This path is for WebSockets; calls by HTTP are under /trpc.",
  },
  { status: 426, contentType: ProblemDetails.contentType, headers: { upgrade: "websocket" } },
)

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const callerOf = yield* RouterCallers.make
    const draining = yield* Draining
    const { count } = yield* RateLimit

    const handle = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const incoming = NodeHttpServerRequest.toIncomingMessage(request)
      const isUpgrade = incoming.headers.upgrade?.toLowerCase() === "websocket"
      if (!isUpgrade || !(incoming instanceof IncomingMessage)) return upgradeRequired
      const address = incoming.socket.remoteAddress
      const of = yield* callerOf(request, faultIn)
      /** Every call counts, as a request does; who it is was said in the first message. */
      const counted: RouterCallers.CallerOf = (said) => {
        const { enter, ...caller } = of(said)
        const one = count(senderOf(address, said?.["authorization"] ?? incoming.headers.authorization))
        return {
          ...caller,
          enter: (needs, doing) =>
            Effect.flatMap(one, (refusal) => (refusal === undefined ? enter(needs, doing) : Effect.fail(refusal))),
        }
      }
      yield* Effect.callback<void>((resume) => {
        let close = () => {}
        open(incoming, counted, (socket) => {
          close = () => socket.close(restarting)
          socket.once("close", () => resume(Effect.void))
        })
        incoming.socket.once("close", () => resume(Effect.void))
        return Effect.sync(() => close())
      }).pipe(Effect.raceFirst(draining.begun))
      return HttpServerResponse.empty()
    })
    return HttpRouter.add("GET", path, handle)
  }),
)
