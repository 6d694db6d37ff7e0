/** The documented widget key endpoints (decisions §1 and §2). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NameInput, visible } from "../domain/Name.ts"
import { Page, pageQuery } from "../domain/Page.ts"
import { defaultTheme } from "../domain/DefaultWidgetTheme.ts"
import { WidgetKey, widgetKeyReadOnly, WidgetKeyWithText, WidgetTheme } from "../domain/WidgetKey.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import { Needs } from "./edge/Authentication.ts"
import { ShowsSecret } from "./edge/NoStore.ts"
import * as Problems from "./edge/Problems.ts"
import { Placed, writable } from "./edge/Resource.ts"

const { agent_id, greeting, kind, origins } = WidgetKey.fields

const ThemeChoice = Schema.Struct({
  color: Schema.optionalKey(WidgetTheme.fields.color),
  mode: Schema.optionalKey(WidgetTheme.fields.mode),
  position: Schema.optionalKey(WidgetTheme.fields.position),
  label: Schema.optionalKey(WidgetTheme.fields.label.check(visible)),
  notice: Schema.optionalKey(WidgetTheme.fields.notice),
}).annotate({
  description: "How the button looks. Fields that you omit take their defaults.",
  examples: [{ color: defaultTheme.color }],
})

const NewWidgetKey = writable(
  {
    name: NameInput.annotate({ description: "What the key is for, as a note for people." }),
    kind,
    agent_id,
    origins: Schema.optionalKey(origins),
    theme: Schema.optionalKey(ThemeChoice),
    greeting: Schema.optionalKey(greeting),
  },
  widgetKeyReadOnly,
).annotate({
  identifier: "NewWidgetKey",
  examples: [
    {
      name: "Website",
      kind: "public",
      agent_id: "01976c1e-5a00-7000-8000-000000000000",
      origins: ["https://www.example.com"],
    },
  ],
})

export class WidgetKeysApi extends HttpApiGroup.make("widget-keys")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/widget-keys", { query: pageQuery(), success: Page(WidgetKey) })
      .annotate(OpenApi.Summary, "List widget keys")
      .annotate(
        OpenApi.Description,
        "Returns keys, newest first. A public key includes its text; a secret key does not.",
      ),
    HttpApiEndpoint.post("create", "/api/v1/widget-keys", {
      payload: NewWidgetKey,
      success: Placed(WidgetKeyWithText),
      error: Problems.unknownReference,
    })
      .annotate(ShowsSecret, true)
      .annotate(OpenApi.Summary, "Create a widget key")
      .annotate(
        OpenApi.Description,
        "A `public` key (`pk_live_…`) may be embedded in pages of its `origins`. A `secret` key (`sk_live_…`) must stay on your server; it is shown only in this answer. Each key is bound to one agent.",
      ),
    HttpApiEndpoint.delete("remove", "/api/v1/widget-keys/:id", {
      params: { id: Schema.String.annotate({ description: "The key's UUID." }) },
      success: HttpApiSchema.NoContent,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Delete a widget key")
      .annotate(
        OpenApi.Description,
        "Requests with the key fail with 401 from then on, and sessions that it issued can no longer connect.",
      ),
  )
  .annotate(OpenApi.Title, "Widget keys")
  .annotate(OpenApi.Description, "Keys of the embeddable button. Only owners of the account can manage them.")
  .annotateEndpoints(Needs, "manage")
  .pipe(addAccountMiddleware) {}
