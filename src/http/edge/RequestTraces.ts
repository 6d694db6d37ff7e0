/** The names and attributes of requests' spans. Effect's server makes one span for each request. */
import { Context, Effect } from "effect"
import { HttpMiddleware, type HttpServerRequest } from "effect/http"
import type { RequestFacts } from "./AccessLog.ts"
import * as RequestTarget from "./RequestTarget.ts"
import type { Routes } from "./RouteTable.ts"

/** Asked every few seconds by balancers and scrapers. */
const probes = /^\/(?:healthz|readyz|metrics)(?:[/?]|$)/

/** Names spans by route: a path may contain a phone number. A `traceparent` of the client is continued. */
export const add = (context: Context.Context<never>, { routeOf }: Routes): Context.Context<never> => {
  const nameOf = ({ method, url }: HttpServerRequest.HttpServerRequest) =>
    `${method} ${routeOf(method, RequestTarget.read(url).path) ?? "none"}`
  return context.pipe(
    Context.add(HttpMiddleware.SpanNameGenerator, nameOf),
    Context.add(HttpMiddleware.TracerDisabledWhen, ({ url }) => probes.test(url)),
  )
}

/** The account is known if the request is in the access log. */
export const annotate = (requestId: string, facts: RequestFacts | undefined): Effect.Effect<void> =>
  Effect.annotateCurrentSpan({
    "parley.request_id": requestId,
    ...(facts?.account === undefined ? {} : { "parley.account": facts.account }),
  })
