/** How an http tool is reached: `implementation_config` (decisions §2, Tool). */
import { Schema } from "effect"

/** What seals a tool's secrets to its row. */
export const placeOf = (toolId: string) => `tools/${toolId}`

export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

const HeaderName = Schema.String.check(
  Schema.isPattern(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/u, { message: "must be the name of a header" }),
)
/** Visible ASCII, spaces and tabs within: what Node and every proxy takes. */
const HeaderValue = Schema.String.check(
  Schema.isPattern(/^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/u, {
    message: "must be ASCII without line breaks, not begin or end with a space",
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
    username: Schema.String.check(Schema.isPattern(/^[^:\p{Cc}]{1,200}$/u, { message: "must be without a colon" })),
    password: Credential,
  }),
  Schema.Struct({ type: Schema.Literal("header"), name: HeaderName, value: HeaderValue }),
])
export type HttpAuthentication = typeof HttpAuthentication.Type

export const HttpConfig = Schema.Struct({
  url: Schema.String.check(Schema.isMaxLength(2_000)),
  method: Schema.Literals(methods),
  headers: Schema.Record(HeaderName, HeaderValue).check(Schema.isMaxProperties(50)),
  timeout_ms: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60_000 })),
  authentication: HttpAuthentication,
}).annotate({ identifier: "HttpToolConfig" })
export type HttpConfig = typeof HttpConfig.Type
