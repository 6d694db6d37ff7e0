/**
 * The endpoints for carriers' reports. They are outside the contract: the carrier defines their form, and its
 * signature authenticates them. They have no account header; the path names account and call.
 */
import { ByteSize, Effect, Layer } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse, ProblemDetails } from "effect/http"
import { TwilioCallers } from "../calls/callers/TwilioCallers.ts"
import { CarrierCallbacks, type NotKept, SignatureWrong } from "../telephony/CarrierCallbacks.ts"
import { isOfType } from "./edge/Body.ts"
import { typeOf } from "./edge/Problem.ts"
import { PathPrefix } from "./edge/RequestId.ts"

export const paths = [
  "/carriers/twilio/:account/:call/status",
  "/carriers/twilio/:account/:call/talk/:mark",
  "/carriers/twilio/:account/:number/voice",
] as const

const formType = "application/x-www-form-urlencoded"
/** Each known token is tried on the whole form. Twilio's longest field is an utterance; the others are some 2 KB. */
const longestForm = 64 * 1024

const problem = (status: number, code: string, title: string, detail: string) =>
  HttpServerResponse.jsonUnsafe(
    { type: typeOf(code), title, status, code, detail },
    { status, contentType: ProblemDetails.contentType },
  )

/** A request of Twilio's with its form, or the refusal of a body that is not a form or is too long. */
const readForm = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!isOfType(formType, request.headers)) return { refusal: noForm }
  const body = yield* Effect.option(
    Effect.provideService(request.text, HttpIncomingMessage.MaxBodySize, ByteSize.bytes(longestForm)),
  )
  if (body._tag === "None") return { refusal: tooLong }
  const form = new URLSearchParams(body.value)
  // It was signed under the address that it was sent to.
  const urls = [...new Set([request.url, `${yield* PathPrefix}${request.url}`])]
  return { sent: { form, urls, signature: request.headers["x-twilio-signature"] ?? "" } }
})

const noForm = problem(
  415,
  "unsupported_media_type",
  "Unsupported content type",
  `Send the body as ${formType} in UTF-8, without compression, and with that Content-Type`,
)

const tooLong = problem(413, "body_too_large", "Body too large", `The body may have at most ${longestForm} bytes`)

const respond = <R>(instructions: Effect.Effect<string | null, SignatureWrong | NotKept, R>) =>
  Effect.match(instructions, {
    onSuccess: (twiml) =>
      twiml === null
        ? HttpServerResponse.empty({ status: 200 })
        : HttpServerResponse.text(twiml, { contentType: "text/xml" }),
    onFailure: (refusal) =>
      refusal instanceof SignatureWrong
        ? problem(403, "signature_wrong", "Wrong signature", refusal.message)
        : problem(503, "unavailable", "Temporarily unavailable", refusal.message),
  })

const report = Effect.gen(function* () {
  const callbacks = yield* CarrierCallbacks
  const request = yield* HttpServerRequest.HttpServerRequest
  const { account = "", call = "", mark = null } = yield* HttpRouter.params
  const { refusal, sent } = yield* readForm
  if (sent === undefined) return refusal
  const language = new URLSearchParams(request.url.split("?")[1]).get("language") ?? "en-US"
  return yield* respond(callbacks.twilio({ account, call, mark, language, ...sent }))
})

const voice = Effect.gen(function* () {
  const callers = yield* TwilioCallers
  const { account = "", number = "" } = yield* HttpRouter.params
  const { refusal, sent } = yield* readForm
  return sent === undefined ? refusal : yield* respond(callers.ring({ account, number, ...sent }))
})

export const layer = Layer.mergeAll(
  HttpRouter.add("POST", paths[0], report),
  HttpRouter.add("POST", paths[1], report),
  HttpRouter.add("POST", paths[2], voice),
)
