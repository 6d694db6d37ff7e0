/** The answer to a plain request on the path of a socket (RFC 9110 §15.5.22). */
import { HttpServerResponse, ProblemDetails } from "effect/http"
import { typeOf } from "./Problem.ts"

/** `next`: what the client has to do, as a sentence. */
export const upgradeRequired = (next: string) =>
  HttpServerResponse.jsonUnsafe(
    {
      type: typeOf("invalid_request"),
      title: "Invalid request",
      status: 426,
      code: "invalid_request",
      detail: `This path accepts only WebSocket connections. ${next}`,
    },
    { status: 426, contentType: ProblemDetails.contentType, headers: { upgrade: "websocket" } },
  )
