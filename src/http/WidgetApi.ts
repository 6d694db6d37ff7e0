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
  session_token: Schema.String.annotate({ description: "The token for the first message on the WebSocket." }),
  expires_in: Schema.Int.annotate({ description: "Seconds until the session token expires." }),
  agent: WidgetAgent,
  ws_url: Schema.String.annotate({
    description: "The WebSocket address of the conversation. Connect with the session's token.",
  }),
}).annotate({ identifier: "WidgetSession" })

const ForPage = Schema.Struct({
  key: Schema.String.check(Schema.isMaxLength(200)).annotate({ description: "A public widget key (`pk_live_…`)." }),
}).annotate({
  identifier: "WidgetSessionRequest",
  examples: [{ key: "pk_live_…" }],
})

const ForUser = Schema.Struct({
  user: Facts.annotate({ description: "Facts about the visitor, as your server knows them." }),
  variables: Schema.optionalKey(Facts).annotate({ description: "Variables for the agent's templates." }),
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
  greeting: Schema.NullOr(Schema.String).annotate({
    description:
      "The first message of a chat. Null if there is none, and if it has variables, which are filled in when the chat begins.",
  }),
  features: Schema.Struct({
    chat: Schema.Boolean.annotate({ description: "Conversations in writing." }),
    voice: Schema.Boolean.annotate({ description: "Voice calls." }),
  }).annotate({ description: "What the installation offers to visitors." }),
}).annotate({ identifier: "WidgetConfig" })

export class WidgetApi extends HttpApiGroup.make("widget")
  .add(
    HttpApiEndpoint.post("session", "/api/v1/widget/auth/session", {
      payload: ForPage,
      success: Session,
      error: [...refusals, visitorLimited],
    })
      .annotate(ShowsSecret, true)
      .annotate(OpenApi.Summary, "Begin a session from a page")
      .annotate(
        OpenApi.Description,
        "Begins a session with a public key. The page's `Origin` must be one of the key's origins; another `Origin`, or none, is a 403. An unknown key is a 401. In one minute, 300 sessions may begin with a key (`PARLEY_WIDGET_SESSIONS_PER_KEY`), of which 60 from one address (`PARLEY_WIDGET_SESSIONS_PER_ADDRESS`); beyond that the request fails with a 429 and `Retry-After`.",
      ),
    HttpApiEndpoint.get("config", "/api/v1/widget/config", {
      query: { key: Schema.String.check(Schema.isMaxLength(200)) },
      success: Config,
      error: refusals,
    })
      .annotate(OpenApi.Summary, "Get the configuration of the button")
      .annotate(OpenApi.Description, "Returns the agent's name, the theme and the greeting for a public key."),
  )
  .annotate(OpenApi.Title, "Widget")
  .annotate(
    OpenApi.Description,
    "Endpoints that pages of other origins call with a widget key. The key names its account, so there is no X-Account-ID. Only these paths allow CORS: a page of any well-formed `Origin` may read errors, and only pages of the key's origins may read other answers.",
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
        "Call it from your server with `Authorization: Bearer sk_live_…`. A request with an `Origin` header comes from a page, where a secret key must never be, so it is a 403.",
      ),
  )
  .annotate(OpenApi.Title, "Widget")
  .middleware(InvalidRequest)
  .middleware(StrictBody)
  .middleware(WidgetServerKey) {}
