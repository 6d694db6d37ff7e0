/**
 * Authentication of a customer's server: its secret widget key is checked before the body is read (decisions §3,
 * Widget).
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Context, Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { type ServerSession, WidgetSessions } from "../../identity/WidgetSessions.ts"
import { bearerOf } from "./Authentication.ts"
import * as Problems from "./Problems.ts"

/** Begins a session for a user known to the customer's server. */
export class BeginForUser extends Context.Service<BeginForUser, ServerSession>()("http/BeginForUser") {}

export class WidgetServerKey extends HttpApiMiddleware.Service<WidgetServerKey, { provides: BeginForUser }>()(
  "http/WidgetServerKey",
  {
    error: [
      Problems.invalid,
      Problems.unauthenticated,
      Problems.originForbidden,
      Problems.accountSuspended,
      Problems.accountUnavailable,
    ],
    security: { widgetSecretKey: HttpApiSecurity.bearer },
  },
) {
  static readonly layer = Layer.effect(
    this,
    Effect.map(WidgetSessions, (sessions) =>
      WidgetServerKey.of({
        widgetSecretKey: Effect.fnUntraced(function* (httpEffect) {
          const request = yield* HttpServerRequest.HttpServerRequest
          const key = yield* bearerOf(NodeHttpServerRequest.toIncomingMessage(request).rawHeaders)
          const begin = yield* sessions.enterByServer(key, Option.fromNullishOr(request.headers["origin"]))
          return yield* Effect.provideService(httpEffect, BeginForUser, begin)
        }),
      }),
    ),
  )
}
