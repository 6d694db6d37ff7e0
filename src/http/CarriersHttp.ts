/**
 * The endpoints for carriers' reports. They are outside the contract: the carrier defines their form, and its
 * signature authenticates them. They have no account header; the path names account and call.
 */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse, ProblemDetails } from "effect/http"
import { CarrierCallbacks, SignatureWrong } from "../telephony/CarrierCallbacks.ts"
import { isOfType } from "./edge/Body.ts"
import { typeOf } from "./edge/Problem.ts"
import { PathPrefix } from "./edge/RequestId.ts"

export const paths = ["/carriers/twilio/:account/:call/status", "/carriers/twilio/:account/:call/talk/:mark"] as const

const formType = "application/x-www-form-urlencoded"

const problem = (status: number, code: string, title: string, detail: string) =>
  HttpServerResponse.jsonUnsafe(
    { type: typeOf(code), title, status, code, detail },
    { status, contentType: ProblemDetails.contentType },
  )

const twilio = Effect.gen(function* () {
  const callbacks = yield* CarrierCallbacks
  const request = yield* HttpServerRequest.HttpServerRequest
  const { account = "", call = "", mark = null } = yield* HttpRouter.params
  if (!isOfType(formType, request.headers)) {
    const detail = `Send the body as ${formType} in UTF-8, without compression, and with that Content-Type`
    return problem(415, "unsupported_media_type", "Unsupported content type", detail)
  }
  const form = new URLSearchParams(yield* request.text)
  // It was signed under the address that it was sent to.
  const urls = [...new Set([request.url, `${yield* PathPrefix}${request.url}`])]
  const language = new URLSearchParams(request.url.split("?")[1]).get("language") ?? "en-US"
  const signature = request.headers["x-twilio-signature"] ?? ""
  return yield* callbacks.twilio({ account, call, mark, urls, language, form, signature }).pipe(
    Effect.match({
      onSuccess: (twiml) =>
        twiml === null
          ? HttpServerResponse.empty({ status: 200 })
          : HttpServerResponse.text(twiml, { contentType: "text/xml" }),
      onFailure: (refusal) =>
        refusal instanceof SignatureWrong
          ? problem(403, "signature_wrong", "Wrong signature", refusal.message)
          : problem(503, "unavailable", "Temporarily unavailable", refusal.message),
    }),
  )
})

export const layer = Layer.mergeAll(HttpRouter.add("POST", paths[0], twilio), HttpRouter.add("POST", paths[1], twilio))
