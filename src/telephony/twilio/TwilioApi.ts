/**
 * Twilio's REST API for calls: create, look up, change. A failure says whether the carrier may have acted on the
 * request; a request whose answer was lost is never sent again automatically.
 */
import { Context, Effect, Layer, Predicate, Result, Schema } from "effect"
import { Agent } from "undici"
import { type CarrierReport, CarrierStatus } from "../../domain/CarrierReport.ts"
import type { TwilioCredentials } from "../../domain/TwilioConfig.ts"
import { TwilioSettings } from "./TwilioSettings.ts"

/** Twilio received the request and refused it. */
export class TwilioRefused extends Schema.TaggedError<TwilioRefused>()("TwilioRefused", {
  status: Schema.Int,
  /** From https://www.twilio.com/docs/api/errors; 0 if it gave none. */
  code: Schema.Int,
  reason: Schema.String,
}) {
  override get message() {
    return `Twilio refused with ${this.status}, error ${this.code}: ${this.reason}`
  }
}

/** No answer that tells the result. */
export class TwilioSilent extends Schema.TaggedError<TwilioSilent>()("TwilioSilent", {
  /** It may have arrived, and may have been acted on. */
  sent: Schema.Boolean,
  why: Schema.String,
}) {
  override get message() {
    return `Twilio ${this.sent ? "gave no answer" : "could not be reached"}: ${this.why}`
  }
}

export type TwilioFailed = TwilioRefused | TwilioSilent

/** RFC 2822, as Twilio writes its times. */
const Moment = Schema.NullOr(Schema.String)

const Resource = Schema.Struct({
  sid: Schema.String,
  status: CarrierStatus,
  to: Schema.String,
  from: Schema.String,
  date_created: Moment,
  end_time: Moment,
  duration: Schema.NullOr(Schema.Union([Schema.String, Schema.Finite])),
})
export type Resource = typeof Resource.Type

const decodeOne = Schema.decodeUnknownResult(Schema.fromJsonString(Resource))
const decodeList = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Struct({ calls: Schema.Array(Resource) })))
const decodeNumbers = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Struct({ incoming_phone_numbers: Schema.Array(Schema.Unknown) })),
)
const decodeRefusal = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Struct({ code: Schema.optionalKey(Schema.Int), message: Schema.String })),
)

export const momentOf = (text: string | null): Date | null => {
  const at = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(at) ? null : new Date(at)
}

/**
 * The report in a look-up. Twilio does not return the moment of the answer; the talk time is what came before the end.
 */
export const reportOf = ({ duration, end_time, status }: Resource): CarrierReport => {
  const seconds = duration === null ? Number.NaN : Number(duration)
  const talked = status === "completed" && seconds > 0 ? Math.round(seconds) : null
  const ended = momentOf(end_time)
  return {
    status,
    sequence: -1,
    answered_at: talked === null || ended === null ? null : new Date(ended.getTime() - talked * 1_000),
    duration_seconds: talked,
    sip_code: null,
  }
}

/** A request that Twilio has not answered by then was lost. */
const answerWithin = "10 seconds"
const connectWithinMs = 4_000

/** Nothing had left this machine. */
const neverSent =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_.*|ERR_TLS_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|UNABLE_TO_.*)$/

interface Request {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly form?: URLSearchParams
}

interface Answer {
  readonly status: number
  readonly text: string
}

/** Sends one request, once, and reads the answer. */
const makeAsk = (base: URL, agent: Agent) => {
  const send = (of: TwilioCredentials, { form, method, path }: Request): Effect.Effect<Answer, TwilioSilent> =>
    Effect.tryPromise({
      try: async (signal) => {
        const { body, statusCode } = await agent.request({
          origin: base.origin,
          path: `${base.pathname.replace(/\/$/, "")}/2010-04-01/Accounts/${of.account_sid}/${path}`,
          method,
          signal,
          headers: {
            authorization: `Basic ${Buffer.from(`${of.account_sid}:${of.auth_token}`).toString("base64")}`,
            accept: "application/json",
            ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
          },
          ...(form === undefined ? {} : { body: form.toString() }),
        })
        return { status: statusCode, text: await body.text() }
      },
      catch: (cause) => {
        const code = Predicate.hasProperty(cause, "code") ? String(cause.code) : String(cause)
        return new TwilioSilent({ sent: !neverSent.test(code), why: code })
      },
    }).pipe(
      Effect.timeoutOrElse({
        duration: answerWithin,
        orElse: () => new TwilioSilent({ sent: true, why: `no answer within ${answerWithin}` }),
      }),
    )

  return Effect.fnUntraced(function* <A>(
    of: TwilioCredentials,
    request: Request,
    decode: (text: string) => Result.Result<A, unknown>,
  ): Effect.fn.Return<A, TwilioFailed> {
    const { status, text } = yield* send(of, request)
    if (status >= 500) return yield* new TwilioSilent({ sent: true, why: `it answered ${status}` })
    if (status >= 400) {
      const { code = 0, message } = Result.getOrElse(decodeRefusal(text), () => ({ code: 0, message: "" }))
      return yield* new TwilioRefused({ status, code, reason: message })
    }
    const decoded = decode(text)
    if (Result.isSuccess(decoded)) return decoded.success
    return yield* new TwilioSilent({ sent: true, why: `its answer of ${status} is not understood` })
  })
}

export class TwilioApi extends Context.Service<
  TwilioApi,
  {
    /** Never sent twice. */
    readonly create: (of: TwilioCredentials, order: URLSearchParams) => Effect.Effect<Resource, TwilioFailed>
    readonly find: (of: TwilioCredentials, sid: string) => Effect.Effect<Resource, TwilioFailed>
    readonly update: (
      of: TwilioCredentials,
      sid: string,
      change: Readonly<Record<string, string>>,
    ) => Effect.Effect<Resource, TwilioFailed>
    /** Whether the number is one of the account. */
    readonly owns: (of: TwilioCredentials, number: string) => Effect.Effect<boolean, TwilioFailed>
    /** The newest calls between the two numbers. */
    readonly between: (
      of: TwilioCredentials,
      to: string,
      from: string,
    ) => Effect.Effect<ReadonlyArray<Resource>, TwilioFailed>
  }
>()("telephony/twilio/TwilioApi") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const { api_url } = yield* TwilioSettings
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => new Agent({ connections: 50, connect: { timeout: connectWithinMs } })),
        (agent) => Effect.promise(() => agent.destroy()),
      )

      const ask = makeAsk(new URL(api_url), agent)
      return {
        create: (of, form) => ask(of, { method: "POST", path: "Calls.json", form }, decodeOne),
        find: (of, sid) => ask(of, { method: "GET", path: `Calls/${sid}.json` }, decodeOne),
        update: (of, sid, change) =>
          ask(of, { method: "POST", path: `Calls/${sid}.json`, form: new URLSearchParams(change) }, decodeOne),
        owns: (of, PhoneNumber) => {
          const query = new URLSearchParams({ PhoneNumber, PageSize: "1" })
          const request = { method: "GET", path: `IncomingPhoneNumbers.json?${query}` } as const
          return Effect.map(ask(of, request, decodeNumbers), (found) => found.incoming_phone_numbers.length > 0)
        },
        between: (of, To, From) => {
          const query = new URLSearchParams({ To, From, PageSize: "50" })
          return Effect.map(ask(of, { method: "GET", path: `Calls.json?${query}` }, decodeList), ({ calls }) => calls)
        },
      }
    }),
  )
}
