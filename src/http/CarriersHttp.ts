/**
 * The endpoints for carriers' reports. They are outside the contract: the carrier defines their form, and its
 * signature authenticates them. They have no account header; the path names account and call.
 */
import { ByteSize, Effect, Layer } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse, ProblemDetails } from "effect/http"
import { TelnyxCallers } from "../calls/callers/TelnyxCallers.ts"
import { TwilioCallers } from "../calls/callers/TwilioCallers.ts"
import { CarrierCallbacks, type NotKept, SignatureWrong, type SignedWebhook } from "../telephony/CarrierCallbacks.ts"
import { isOfType } from "./edge/Body.ts"
import { typeOf } from "./edge/Problem.ts"
import { RateLimit, reportsIn } from "./edge/RateLimit.ts"
import { PathPrefix } from "./edge/RequestId.ts"

const routes = {
  twilioStatus: "/carriers/twilio/:account/:call/status",
  twilioTalk: "/carriers/twilio/:account/:call/talk/:mark",
  twilioVoice: "/carriers/twilio/:account/:number/voice",
  telnyxEvents: "/carriers/telnyx/:account/:call/events",
  telnyxVoice: "/carriers/telnyx/:account/voice",
} as const

export const paths = Object.values(routes)

const formType = "application/x-www-form-urlencoded"
const jsonType = "application/json"
/** Bytes. Each known key is tried on the whole body. The longest field is an utterance; the others are some 2 KB. */
const longestBody = 64 * 1024

const problem = (status: number, code: string, title: string, detail: string) =>
  HttpServerResponse.jsonUnsafe(
    { type: typeOf(code), title, status, code, detail },
    { status, contentType: ProblemDetails.contentType },
  )

/** The body as text, or the refusal of a body that has another type or is too long. */
const readBody = Effect.fnUntraced(function* (type: string) {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!isOfType(type, request.headers)) return { refusal: otherType(type) }
  const body = yield* Effect.option(
    Effect.provideService(request.text, HttpIncomingMessage.MaxBodySize, ByteSize.bytes(longestBody)),
  )
  return body._tag === "None" ? { refusal: tooLong } : { text: body.value }
})

/** Reads a request of Twilio with its form. */
const readForm = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { refusal, text } = yield* readBody(formType)
  if (text === undefined) return { refusal }
  // The signature covers the address that the request was sent to, which may have the prefix.
  const urls = [...new Set([request.url, `${yield* PathPrefix}${request.url}`])]
  return { sent: { form: new URLSearchParams(text), urls, signature: request.headers["x-twilio-signature"] ?? "" } }
})

const otherType = (type: string) =>
  problem(
    415,
    "unsupported_media_type",
    "Unsupported content type",
    `Send the body as ${type} in UTF-8, without compression, and with that Content-Type`,
  )

const tooLong = problem(413, "body_too_large", "Body too large", `The body may have at most ${longestBody} bytes`)

/** The signature was right, so further reports to this account do not count for their address. */
const admitReports = Effect.gen(function* () {
  const reports = reportsIn((yield* HttpServerRequest.HttpServerRequest).url)
  if (reports !== undefined) (yield* RateLimit).admitReports(reports)
})

const respond = <R>(instructions: Effect.Effect<string | null | void, SignatureWrong | NotKept, R>) =>
  Effect.match(Effect.tap(instructions, admitReports), {
    onSuccess: (twiml) =>
      typeof twiml === "string"
        ? HttpServerResponse.text(twiml, { contentType: "text/xml" })
        : HttpServerResponse.empty({ status: 200 }),
    onFailure: (refusal) =>
      refusal instanceof SignatureWrong
        ? problem(403, "signature_wrong", "Wrong signature", refusal.message)
        : problem(503, "unavailable", "Temporarily unavailable", refusal.message),
  })

const twilioReport = Effect.gen(function* () {
  const callbacks = yield* CarrierCallbacks
  const request = yield* HttpServerRequest.HttpServerRequest
  const { account = "", call = "", mark = null } = yield* HttpRouter.params
  const { refusal, sent } = yield* readForm
  if (sent === undefined) return refusal
  const language = new URLSearchParams(request.url.split("?")[1]).get("language") ?? "en-US"
  return yield* respond(callbacks.twilio({ account, call, mark, language, ...sent }))
})

const twilioRing = Effect.gen(function* () {
  const callers = yield* TwilioCallers
  const { account = "", number = "" } = yield* HttpRouter.params
  const { refusal, sent } = yield* readForm
  return sent === undefined ? refusal : yield* respond(callers.ring({ account, number, ...sent }))
})

/** The endpoint of a webhook of Telnyx. `take` gets the parts of its path, too. */
const webhook = <R>(
  take: (webhook: SignedWebhook & { readonly call: string }) => Effect.Effect<void, SignatureWrong | NotKept, R>,
) =>
  Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const { account = "", call = "" } = yield* HttpRouter.params
    const { refusal, text } = yield* readBody(jsonType)
    if (text === undefined) return refusal
    const signature = headers["telnyx-signature-ed25519"] ?? ""
    const timestamp = headers["telnyx-timestamp"] ?? ""
    return yield* respond(take({ account, call, body: text, signature, timestamp }))
  })

const telnyxReport = webhook((sent) => Effect.flatMap(CarrierCallbacks, ({ telnyx }) => telnyx(sent)))
const telnyxRing = webhook((sent) => Effect.flatMap(TelnyxCallers, ({ ring }) => ring(sent)))

export const layer = Layer.mergeAll(
  HttpRouter.add("POST", routes.twilioStatus, twilioReport),
  HttpRouter.add("POST", routes.twilioTalk, twilioReport),
  HttpRouter.add("POST", routes.twilioVoice, twilioRing),
  HttpRouter.add("POST", routes.telnyxEvents, telnyxReport),
  HttpRouter.add("POST", routes.telnyxVoice, telnyxRing),
)
