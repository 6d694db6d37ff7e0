/** The documented widget endpoints (spec §4 and §5.6, decisions §3). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { WidgetTheme } from "../domain/WidgetKey.ts"
import { WidgetAgent } from "../identity/WidgetKeys.ts"
import { Facts } from "../identity/WidgetToken.ts"
import { StrictBody } from "./edge/Body.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import { ShowsSecret } from "./edge/NoStore.ts"
import * as Problems from "./edge/Problems.ts"
import { visitorLimited } from "./edge/VisitorLimit.ts"
import { WidgetServerKey } from "./edge/WidgetServerKey.ts"

const refusals = [
  Problems.unauthenticated,
  Problems.originForbidden,
  Problems.accountSuspended,
  Problems.accountUnavailable,
] as const

/** Characters as JSON; the token that contains them is sent in a URL. */
const maximumFacts = 4096

const Session = Schema.Struct({
  session_token: Schema.String,
  expires_in: Schema.Int.annotate({ description: "Seconds." }),
  agent: WidgetAgent,
  ws_url: Schema.String.annotate({ description: "Where the conversation is; connect with the session's token." }),
}).annotate({ identifier: "WidgetSession" })

const ForPage = Schema.Struct({ key: Schema.String.check(Schema.isMaxLength(200)) }).annotate({
  identifier: "WidgetSessionRequest",
  examples: [{ key: "pk_live_…" }],
})

const ForUser = Schema.Struct({
  user: Facts.annotate({ description: "Who the visitor is, as your server knows them." }),
  variables: Schema.optionalKey(Facts).annotate({ description: "For the agent's templates." }),
})
  .annotate({
    identifier: "WidgetTokenRequest",
    examples: [{ user: { id: "u-17", name: "Ada" }, variables: { first_name: "Ada" } }],
  })
  .check(
    Schema.makeFilter(
      (about) => JSON.stringify(about).length <= maximumFacts || `must have at most ${maximumFacts} characters of JSON`,
    ),
  )

const Config = Schema.Struct({
  agent: WidgetAgent,
  theme: WidgetTheme,
  greeting: Schema.NullOr(Schema.String),
  features: Schema.Struct({ chat: Schema.Boolean, voice: Schema.Boolean }),
}).annotate({ identifier: "WidgetConfig" })

export class WidgetApi extends HttpApiGroup.make("widget")
  .add(
    HttpApiEndpoint.post("session", "/api/v1/widget/auth/session", {
      payload: ForPage,
      success: Session,
      error: [...refusals, visitorLimited],
    })
      .annotate(ShowsSecret, true)
      .annotate(OpenApi.Summary, "Begin a session in a page")
      .annotate(
        OpenApi.Description,
        "With a public key, from a page of one of its origins: another `Origin`, or none, is a 403, an unknown key a 401. So many sessions may begin in a minute with a key, and from an address with a key; more are a 429 with `Retry-After`.",
      ),
    HttpApiEndpoint.get("config", "/api/v1/widget/config", {
      query: { key: Schema.String.check(Schema.isMaxLength(200)) },
      success: Config,
      error: refusals,
    })
      .annotate(OpenApi.Summary, "What the button looks like")
      .annotate(OpenApi.Description, "For a public key: the agent's name, the theme, and what is said first."),
  )
  .annotate(OpenApi.Title, "Widget")
  .annotate(
    OpenApi.Description,
    "Called from other origins with a key of their own, which names its account; there is no X-Account-ID. CORS is open here and nowhere else: every well-formed `Origin` may read errors, and only a key's own origins get anything but errors.",
  )
  .middleware(InvalidRequest)
  .middleware(StrictBody) {}

export class WidgetServerApi extends HttpApiGroup.make("widget-server")
  .add(
    HttpApiEndpoint.post("token", "/api/v1/widget/auth/token", {
      payload: ForUser,
      success: Session,
    })
      .annotate(ShowsSecret, true)
      .annotate(OpenApi.Summary, "Begin a session for a known user")
      .annotate(
        OpenApi.Description,
        "From your server, with `Authorization: Bearer sk_live_…`. A secret key that comes with an `Origin` is in a page, where it must not be: 403.",
      ),
  )
  .annotate(OpenApi.Title, "Widget")
  .middleware(InvalidRequest)
  .middleware(StrictBody)
  .middleware(WidgetServerKey) {}
