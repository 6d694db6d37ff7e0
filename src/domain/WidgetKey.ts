/**
 * A key for a button on a customer's page, bound to one agent. A public key is also bound to the page's origins
 * (decisions §3).
 */
import { Schema } from "effect"
import { Name } from "./Name.ts"
import { CreatedAt } from "./Timestamp.ts"

export const WidgetKeyId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("WidgetKeyId"))
export type WidgetKeyId = typeof WidgetKeyId.Type

/** `public` may be embedded in a page; `secret` stays on the customer's server. */
export const WidgetKeyKind = Schema.Literals(["public", "secret"]).annotate({
  description: "A `public` key may be embedded in a page. A `secret` key must stay on your server.",
})
export type WidgetKeyKind = typeof WidgetKeyKind.Type

/**
 * Whether the text is an origin as a browser writes it in `Origin`: scheme, host, and a port that is not the scheme's
 * default.
 */
export const isOrigin = (text: string): boolean =>
  /^https?:\/\/[^/?#@*\s]+$/u.test(text) && URL.canParse(text) && new URL(text).origin === text

export const Origin = Schema.String.check(
  Schema.isMaxLength(300),
  Schema.makeFilter((text) => isOrigin(text) || "must be an origin, such as https://www.example.com"),
).annotate({ examples: ["https://www.example.com"] })

export const WidgetTheme = Schema.Struct({
  color: Schema.String.check(
    Schema.isPattern(/^#[0-9a-fA-F]{6}$/u, { message: "must be a colour, such as #1a1b19" }),
  ).annotate({ description: "The colour of the button and of *Send*." }),
  mode: Schema.Literals(["system", "light", "dark"]).annotate({
    description: "`system` follows the visitor's own setting.",
  }),
  position: Schema.Literals(["bottom-right", "bottom-left"]).annotate({
    description: "The corner of the page where the button is.",
  }),
  label: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(40)).annotate({
    description: "The text on the button.",
  }),
  notice: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(300)).annotate({
    description: "The notice below every conversation. It cannot be empty.",
  }),
}).annotate({ identifier: "WidgetTheme", description: "How the button and the conversation look." })
export type WidgetTheme = typeof WidgetTheme.Type

export const WidgetKey = Schema.Struct({
  id: WidgetKeyId.annotate({ description: "The key's UUID, for deleting it. It is not secret." }),
  name: Name.annotate({ description: "What the key is for, as a note for people." }),
  kind: WidgetKeyKind,
  agent_id: Schema.String.check(Schema.isUUID()).annotate({
    description: "The agent that talks with the visitors.",
  }),
  origins: Schema.Array(Origin)
    .check(Schema.isMaxLength(50), Schema.isUnique())
    .annotate({ description: "The origins of the pages that may use a public key. An empty list allows none." }),
  theme: WidgetTheme,
  greeting: Schema.NullOr(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1000))).annotate({
    description: "The first message of a chat. Null uses the agent's `first_message`.",
  }),
  key: Schema.NullOr(Schema.String).annotate({
    description:
      "The text of a public key. Null for a secret key, of which Parley stores only a hash, and for a public key that was created before texts were stored.",
  }),
  hint: Schema.String.annotate({ description: "The last four characters of the key." }),
  created_at: CreatedAt,
}).annotate({ identifier: "WidgetKey" })
export type WidgetKey = typeof WidgetKey.Type

/** The answer to the creation of a key, which contains its text. */
export const WidgetKeyWithText = Schema.Struct({
  ...WidgetKey.fields,
  key: Schema.String.annotate({
    description: "The key itself. A secret key is shown only in this answer; Parley stores a hash.",
  }),
}).annotate({ identifier: "WidgetKeyWithText" })

export const widgetKeyReadOnly = ["id", "key", "hint", "created_at"] as const

/** The request came from a page that the public key does not list, or a browser sent a key that belongs on a server. */
export class OriginForbidden extends Schema.TaggedError<OriginForbidden>()("OriginForbidden", {
  reason: Schema.Literals(["not_listed", "missing", "secret_key"]).annotate({
    description:
      "`not_listed`: the page's origin is none of the key's. `missing`: the request has no `Origin`. `secret_key`: a page sent a secret key.",
  }),
}) {
  override get message() {
    return {
      not_listed: "This page's origin is not one of the key's origins",
      missing: "The request has no Origin header; a public key works only in a page of one of its origins",
      secret_key: "An sk_live_ key belongs on a server; a page must never send it",
    }[this.reason]
  }
}
