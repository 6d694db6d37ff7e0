/** The parts of a request that an answer depends on, for caches (RFC 9110 §12.5.5). */
import { HttpServerResponse } from "effect/http"

type Response = HttpServerResponse.HttpServerResponse

/** Adds a header's name to the answer's `Vary`. */
export const varyBy = (response: Response, header: string): Response => {
  const present = response.headers["vary"]
  return HttpServerResponse.setHeader(response, "vary", present === undefined ? header : `${present}, ${header}`)
}
