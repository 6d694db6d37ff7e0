/** The widget over HTTP: handlers translate and delegate. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Duration, Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Chats } from "../calls/visitors/Chats.ts"
import { type Begun, WidgetSessions } from "../identity/WidgetSessions.ts"
import { lifetime } from "../identity/WidgetToken.ts"
import { Api } from "./Api.ts"
import { ClientAddress } from "./edge/ClientAddress.ts"
import { addPrefix } from "./edge/Resource.ts"
import { VisitorLimit } from "./edge/VisitorLimit.ts"
import { BeginForUser } from "./edge/WidgetServerKey.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "widget",
  Effect.fnUntraced(function* (handlers) {
    const sessions = yield* WidgetSessions
    const chats = yield* Chats
    const clientAddress = yield* ClientAddress
    const { beginSession } = yield* VisitorLimit
    return handlers.handleAll({
      session: Effect.fnUntraced(function* ({ payload, request }) {
        const begun = yield* sessions.beginInPage(payload.key, originOf(request))
        yield* beginSession(begun.key, clientAddress.of(NodeHttpServerRequest.toIncomingMessage(request)))
        return yield* answer(request, begun)
      }),
      config: ({ query, request }) =>
        Effect.map(sessions.show(query.key, originOf(request)), ({ agent, first_message, greeting, theme }) => ({
          agent,
          theme,
          greeting: plain(greeting ?? first_message),
          features: { chat: true, voice: chats.sound !== null },
        })),
    })
  }),
)

export const server = HttpApiBuilder.group(Api, "widget-server", (handlers) =>
  handlers.handleAll({
    token: Effect.fnUntraced(function* ({ payload: { user, variables = {} }, request }) {
      const begin = yield* BeginForUser
      return yield* answer(request, yield* begin({ user, variables }))
    }),
  }),
)

const originOf = (request: HttpServerRequest.HttpServerRequest) => Option.fromNullishOr(request.headers["origin"])

/** A template is filled in when the conversation begins; before that it is not shown. */
const plain = (message: string): string | null => (message === "" || /\{[{%]/.test(message) ? null : message)

const answer = (request: HttpServerRequest.HttpServerRequest, { agent, token }: Begun) =>
  Effect.map(addPrefix("/api/v1/widget/ws"), (path) => ({
    session_token: token,
    expires_in: Duration.toSeconds(lifetime),
    agent,
    ws_url: `${isSecure(request) ? "wss" : "ws"}://${request.headers["host"] ?? "localhost"}${path}`,
  }))

/**
 * TLS ends at a proxy before Parley, which reports it. A client that falsely claims TLS gets a URL that does not work.
 */
const isSecure = (request: HttpServerRequest.HttpServerRequest): boolean =>
  request.headers["x-forwarded-proto"]?.split(",", 1)[0]?.trim() === "https"
