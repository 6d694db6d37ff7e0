/** Twilio's REST API for calls: create, look up, change. */
import { Context, Effect, Layer, Result, Schema } from "effect"
import { type CarrierReport, CarrierStatus } from "../../domain/CarrierReport.ts"
import type { TwilioCredentials } from "../../domain/TwilioConfig.ts"
import { CarrierSettings } from "../rest/CarrierSettings.ts"
import * as RestClient from "../rest/RestClient.ts"
import type { CarrierFailed } from "../rest/RestClient.ts"

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
 * Converts a look-up to a report. Twilio does not return the moment of the answer: it is the end minus the duration.
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

/** The code is one of https://www.twilio.com/docs/api/errors. */
const readRefusal = (text: string) => {
  const { code, message } = Result.getOrElse(decodeRefusal(text), () => ({ code: undefined, message: "" }))
  return { code: String(code ?? ""), reason: message }
}

const formType = "application/x-www-form-urlencoded"

interface Request {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly form?: URLSearchParams
}

export class TwilioApi extends Context.Service<
  TwilioApi,
  {
    /** Never sent twice. */
    readonly create: (credentials: TwilioCredentials, order: URLSearchParams) => Effect.Effect<Resource, CarrierFailed>
    readonly find: (credentials: TwilioCredentials, sid: string) => Effect.Effect<Resource, CarrierFailed>
    readonly update: (
      credentials: TwilioCredentials,
      sid: string,
      change: Readonly<Record<string, string>>,
    ) => Effect.Effect<Resource, CarrierFailed>
    /** Whether the number belongs to the account. */
    readonly owns: (credentials: TwilioCredentials, number: string) => Effect.Effect<boolean, CarrierFailed>
    /** The newest calls between the two numbers. */
    readonly between: (
      credentials: TwilioCredentials,
      to: string,
      from: string,
    ) => Effect.Effect<ReadonlyArray<Resource>, CarrierFailed>
  }
>()("telephony/twilio/TwilioApi") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const { twilio_api_url } = yield* CarrierSettings
      const send = yield* RestClient.make({ carrier: "Twilio", url: twilio_api_url, readRefusal })
      const ask = <A>(
        { account_sid, auth_token }: TwilioCredentials,
        { form, method, path }: Request,
        decode: (text: string) => Result.Result<A, unknown>,
      ) => {
        const authorization = `Basic ${Buffer.from(`${account_sid}:${auth_token}`).toString("base64")}`
        const request = { method, path: `/2010-04-01/Accounts/${account_sid}/${path}` }
        return form === undefined
          ? send({ ...request, headers: { authorization } }, decode)
          : send({ ...request, headers: { authorization, "content-type": formType }, body: form.toString() }, decode)
      }

      return {
        create: (credentials, form) => ask(credentials, { method: "POST", path: "Calls.json", form }, decodeOne),
        find: (credentials, sid) => ask(credentials, { method: "GET", path: `Calls/${sid}.json` }, decodeOne),
        update: (credentials, sid, change) =>
          ask(credentials, { method: "POST", path: `Calls/${sid}.json`, form: new URLSearchParams(change) }, decodeOne),
        owns: (credentials, PhoneNumber) => {
          const query = new URLSearchParams({ PhoneNumber, PageSize: "1" })
          const request = { method: "GET", path: `IncomingPhoneNumbers.json?${query}` } as const
          return Effect.map(
            ask(credentials, request, decodeNumbers),
            (found) => found.incoming_phone_numbers.length > 0,
          )
        },
        between: (credentials, To, From) => {
          const query = new URLSearchParams({ To, From, PageSize: "50" })
          return Effect.map(
            ask(credentials, { method: "GET", path: `Calls.json?${query}` }, decodeList),
            ({ calls }) => calls,
          )
        },
      }
    }),
  )
}
