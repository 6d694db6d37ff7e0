/**
 * CORS, for widget paths only (decisions §3). A preflight has neither body nor key, so it is answered for every
 * well-formed origin and grants nothing: the following request is a 403 from an origin that the key does not
 * list. Every page may read errors, so that its developer learns which rule it broke.
 */
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { isOrigin } from "../../domain/WidgetKey.ts"
import { varyBy } from "./Vary.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const isWidgetPath = (path: string): boolean => path.startsWith("/api/v1/widget/")

/** The answer to a preflight of a widget path; undefined for any other request. */
export const preflight = (request: Request, path: string): Response | undefined =>
  request.method === "OPTIONS" && isWidgetPath(path) && request.headers["access-control-request-method"] !== undefined
    ? HttpServerResponse.empty({
        status: 204,
        headers: {
          "access-control-allow-methods": "GET, POST",
          "access-control-allow-headers": "content-type, x-request-id",
          "access-control-max-age": "600",
        },
      })
    : undefined

/** Lets the page that asked read the answer. No credentials: a widget key is sent in plain sight. */
export const reflect = (request: Request, path: string, response: Response): Response => {
  const origin = request.headers["origin"]
  if (!isWidgetPath(path)) return response
  const varied = varyBy(response, "Origin")
  return origin === undefined || !isOrigin(origin)
    ? varied
    : HttpServerResponse.setHeaders(varied, {
        "access-control-allow-origin": origin,
        "access-control-expose-headers": "retry-after, ratelimit, ratelimit-policy, x-request-id",
      })
}
