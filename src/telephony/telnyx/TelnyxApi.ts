/**
 * Telnyx's Call Control API (v2): dial, look up, command. https://developers.telnyx.com/api-reference/call-
 * commands/dial
 */
import { Context, Effect, Layer, Result, Schema } from "effect"
import { type CarrierReport, reportOf } from "../../domain/CarrierReport.ts"
import type { TelnyxCredentials } from "../../domain/TelnyxConfig.ts"
import { CarrierSettings } from "../rest/CarrierSettings.ts"
import * as RestClient from "../rest/RestClient.ts"
import type { CarrierFailed } from "../rest/RestClient.ts"
import { momentOf } from "./TelnyxEvent.ts"

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))

const Resource = Schema.Struct({
  call_control_id: Schema.String,
  /** False also before the call is dialled. */
  is_alive: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  client_state: Text,
  end_time: Text,
})
export type Resource = typeof Resource.Type

const Page = Schema.Struct({
  data: Schema.Array(Resource),
  meta: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ cursors: Schema.optionalKey(Schema.NullOr(Schema.Struct({ after: Text }))) })),
  ),
})

const Application = Schema.Struct({ active: Schema.optionalKey(Schema.Boolean) })
const OwnNumber = Schema.Struct({ phone_number: Schema.String, connection_id: Text })

const decodeCall = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Struct({ data: Resource })))
const decodePage = Schema.decodeUnknownResult(Schema.fromJsonString(Page))
const decodeDone = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))
const decodeApplication = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Struct({ data: Application })))
const decodeNumbers = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Struct({ data: Schema.Array(OwnNumber) })),
)
const decodeRefusal = Schema.decodeUnknownResult(
  Schema.fromJsonString(
    Schema.Struct({
      errors: Schema.Array(
        Schema.Struct({
          code: Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite])),
          title: Text,
          detail: Text,
          source: Schema.optionalKey(Schema.NullOr(Schema.Struct({ pointer: Text }))),
        }),
      ),
    }),
  ),
)

/** The code is one of https://developers.telnyx.com/development/api-fundamentals/api-errors, with the field at fault. */
const readRefusal = (text: string) => {
  const [error] = Result.getOrElse(decodeRefusal(text), () => ({ errors: [] })).errors
  const pointer = error?.source?.pointer ?? ""
  return {
    code: `${error?.code ?? ""}${pointer === "" ? "" : ` at ${pointer}`}`,
    reason: error?.detail ?? error?.title ?? "",
  }
}

/**
 * A look-up reports an end only this many milliseconds after it, because the webhook that says how the call ended may
 * still come.
 */
const toldWithinMs = 5_000

/**
 * Converts a look-up to a report. Telnyx says only whether the call lives, not whether it rings, was answered, or how
 * it ended.
 */
export const reportIn = ({ end_time, is_alive }: Resource, now: number): CarrierReport => {
  const ended = is_alive === true ? null : momentOf(end_time)
  const isOver = ended !== null && now - ended.getTime() > toldWithinMs
  return reportOf(isOver ? "ended" : is_alive === true ? "initiated" : "queued")
}

/** Calls on a page of the list, and pages that are read. */
const page = { size: 250, most: 20 }

export class TelnyxApi extends Context.Service<
  TelnyxApi,
  {
    /** Never sent twice. */
    readonly dial: (credentials: TelnyxCredentials, order: Schema.JsonObject) => Effect.Effect<Resource, CarrierFailed>
    readonly find: (credentials: TelnyxCredentials, sid: string) => Effect.Effect<Resource, CarrierFailed>
    /** Sends a command to a call. `action` is the last part of the path. */
    readonly command: (
      credentials: TelnyxCredentials,
      sid: string,
      action: string,
      body: Schema.JsonObject,
    ) => Effect.Effect<void, CarrierFailed>
    /** The live call of the application that has this `client_state`. */
    readonly findByState: (
      credentials: TelnyxCredentials,
      client_state: string,
    ) => Effect.Effect<Resource | null, CarrierFailed>
    readonly findApplication: (credentials: TelnyxCredentials) => Effect.Effect<typeof Application.Type, CarrierFailed>
    /** Returns the number if it belongs to the account, else null. */
    readonly findNumber: (
      credentials: TelnyxCredentials,
      number: string,
    ) => Effect.Effect<typeof OwnNumber.Type | null, CarrierFailed>
  }
>()("telephony/telnyx/TelnyxApi") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const { telnyx_api_url } = yield* CarrierSettings
      const send = yield* RestClient.make({ carrier: "Telnyx", url: `${telnyx_api_url}/v2`, readRefusal })
      const authorize = ({ api_key }: TelnyxCredentials) => ({ authorization: `Bearer ${api_key}` })
      const get = <A>(credentials: TelnyxCredentials, path: string, decode: Decode<A>) =>
        send({ method: "GET", path, headers: authorize(credentials) }, decode)
      const post = <A>(credentials: TelnyxCredentials, path: string, body: Schema.JsonObject, decode: Decode<A>) => {
        const headers = { ...authorize(credentials), "content-type": "application/json" }
        return send({ method: "POST", path, headers, body: JSON.stringify(body) }, decode)
      }

      const findByState = Effect.fnUntraced(function* (credentials: TelnyxCredentials, client_state: string) {
        let after: string | null = null
        for (let read = 0; read < page.most; read++) {
          const query: URLSearchParams = new URLSearchParams({ "page[limit]": `${page.size}` })
          if (after !== null) query.set("page[after]", after)
          const path = `/connections/${credentials.connection_id}/active_calls?${query}`
          const { data, meta }: typeof Page.Type = yield* get(credentials, path, decodePage)
          const found = data.find((call) => call.client_state === client_state)
          if (found !== undefined) return found
          after = meta?.cursors?.after ?? null
          if (after === null || data.length === 0) return null
        }
        return null
      })

      return {
        findByState,
        dial: (credentials, order) => Effect.map(post(credentials, "/calls", order, decodeCall), ({ data }) => data),
        find: (credentials, sid) =>
          Effect.map(get(credentials, `/calls/${encodeURIComponent(sid)}`, decodeCall), ({ data }) => data),
        command: (credentials, sid, action, body) =>
          Effect.asVoid(post(credentials, `/calls/${encodeURIComponent(sid)}/actions/${action}`, body, decodeDone)),
        findApplication: (credentials) =>
          Effect.map(
            get(credentials, `/call_control_applications/${credentials.connection_id}`, decodeApplication),
            ({ data }) => data,
          ),
        findNumber: (credentials, number) => {
          const query = new URLSearchParams({ "filter[phone_number]": number })
          return Effect.map(
            get(credentials, `/phone_numbers?${query}`, decodeNumbers),
            ({ data }) => data.find(({ phone_number }) => phone_number === number) ?? null,
          )
        },
      }
    }),
  )
}

type Decode<A> = (text: string) => Result.Result<A, unknown>
