/** How an http tool is reached: `implementation_config` (decisions §2, Tool). */
import { Effect, Result, Schema } from "effect"
import { faultsOf } from "../domain/Faults.ts"
import { Invalid, invalid } from "../domain/Refusals.ts"
import { CatalogSettings } from "./CatalogSettings.ts"
import * as Secrets from "./Secrets.ts"

/** The name that binds a tool's sealed secrets to its row. */
export const placeOf = (toolId: string) => `tools/${toolId}`

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

const HeaderName = Schema.String.check(
  Schema.isPattern(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/u, { message: "must be the name of a header" }),
)
/** Visible ASCII, with spaces and tabs inside, which Node and every proxy accept. */
const HeaderValue = Schema.String.check(
  Schema.isPattern(/^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/u, {
    message: "must be ASCII without line breaks, and must not begin or end with a space",
  }),
  Schema.isMaxLength(8_000),
)
const Credential = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(4_000))

export const HttpAuthentication = Schema.Union([
  Schema.Struct({ type: Schema.Literal("none") }),
  Schema.Struct({ type: Schema.Literal("bearer"), token: HeaderValue }),
  Schema.Struct({
    type: Schema.Literal("basic"),
    // RFC 7617: everything before the first colon is the user.
    username: Schema.String.check(
      Schema.isPattern(/^[^:\p{Cc}]{1,200}$/u, {
        message: "must be 1 to 200 characters, without a colon and control characters",
      }),
    ),
    password: Credential,
  }),
  Schema.Struct({ type: Schema.Literal("header"), name: HeaderName, value: HeaderValue }),
])
export type HttpAuthentication = typeof HttpAuthentication.Type

export const HttpConfig = Schema.Struct({
  url: Schema.String.check(Schema.isMaxLength(2_000)),
  method: Schema.Literals(methods),
  headers: Schema.Record(HeaderName, HeaderValue).check(Schema.isMaxProperties(50)),
  /** The names of `headers` whose values clients may read again; the others are secrets. */
  public_headers: Schema.optionalKey(Schema.Array(HeaderName).check(Schema.isMaxLength(50), Schema.isUnique())),
  timeout_ms: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60_000 })),
  authentication: HttpAuthentication,
  /** Whether the server acts once on requests with the same `Idempotency-Key`. False if absent. */
  idempotent: Schema.optionalKey(Schema.Boolean),
}).annotate({ identifier: "HttpToolConfig" })
export type HttpConfig = typeof HttpConfig.Type

/** The config as a client writes it: everything but the URL may be left out. */
const HttpConfigInput = Schema.Struct({
  url: HttpConfig.fields.url,
  method: Schema.optionalKey(HttpConfig.fields.method),
  headers: Schema.optionalKey(HttpConfig.fields.headers),
  public_headers: HttpConfig.fields.public_headers,
  timeout_ms: Schema.optionalKey(HttpConfig.fields.timeout_ms),
  authentication: Schema.optionalKey(HttpAuthentication),
  idempotent: HttpConfig.fields.idempotent,
})

const decode = Schema.decodeUnknownResult(HttpConfigInput, { errors: "all", onExcessProperty: "error" })

/**
 * Headers of the connection, which a tool cannot set. The body is read as it arrives, so a compressed one must not be
 * requested.
 */
export const ofTheConnection = new Set([
  ...["host", "connection", "content-length", "transfer-encoding", "keep-alive", "upgrade", "expect"],
  ...["te", "trailer", "proxy-connection", "accept-encoding"],
])

/** Whether a content type is one of JSON, as an http tool's arguments are sent. */
export const isJsonType = (type: string): boolean => /^[^;]*[/+]json\s*(?:;|$)/iu.test(type)

/**
 * Refuses headers that the request would not have: those of the connection, and a content type that the body does not
 * have. Only for a config that a client writes: a stored one may have them.
 */
export const refuseUnsentHeaders = Effect.fnUntraced(function* (
  pointer: string,
  { authentication, headers, method }: HttpConfig,
) {
  const named = Object.entries(headers).map(([name, value]) => ({ name, value, pointer: `${pointer}/headers/${name}` }))
  if (authentication.type === "header") named.push({ ...authentication, pointer: `${pointer}/authentication/name` })
  const errors = named.flatMap(({ name, pointer, value }) => {
    const detail = whyUnsent(name.toLowerCase(), value, method)
    return detail === undefined ? [] : [{ pointer, detail }]
  })
  if (errors.length > 0) return yield* new Invalid({ errors })
})

const whyUnsent = (name: string, value: string, method: HttpConfig["method"]): string | undefined => {
  if (ofTheConnection.has(name)) return "is a header of the connection, which a tool cannot set"
  // A mask stands for the stored value.
  if (name !== "content-type" || method === "GET" || value === Secrets.mask || isJsonType(value)) return undefined
  return "must be a JSON type, such as application/vnd.api+json: the arguments are sent as JSON"
}

const defaults = { method: "POST", headers: {}, timeout_ms: 10_000, authentication: { type: "none" } } as const

/** The whole config of an http tool with defaults filled in, or all its faults. */
export const checkHttp = Effect.fnUntraced(function* (pointer: string, config: Schema.JsonObject) {
  const decoded = decode(config)
  if (Result.isFailure(decoded)) {
    return yield* new Invalid({ errors: faultsOf(decoded.failure.issue, pointer) })
  }
  const fault = urlFault(decoded.success.url, (yield* CatalogSettings).plainHttp)
  if (fault !== undefined) return yield* invalid(`${pointer}/url`, fault)
  const whole: HttpConfig = { ...defaults, ...decoded.success }
  return whole
})

/**
 * The stored config, and whether the next one has a URL of another origin: the secrets were given for the origin of the
 * stored URL.
 */
export const storedFor = (next: Schema.JsonObject, config: Schema.JsonObject): Secrets.Stored => ({
  config,
  isElsewhere: originOf(next) !== originOf(config),
})

const originOf = ({ url }: Schema.JsonObject): string | undefined =>
  typeof url === "string" && URL.canParse(url) ? new URL(url).origin : undefined

const urlFault = (text: string, plainHttp: boolean): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return "must be a URL"
  if (url.protocol !== "https:" && !(plainHttp && url.protocol === "http:")) {
    return plainHttp ? "must be an https or http URL" : "must be an https URL"
  }
  if (url.username !== "" || url.password !== "") return "must not contain a password; use authentication"
  return undefined
}
