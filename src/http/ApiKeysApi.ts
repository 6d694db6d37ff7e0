/** The documented API key endpoints (decisions §1 and §2). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ApiKey, apiKeyReadOnly, ApiKeyWithText, Scopes } from "../domain/ApiKey.ts"
import { NameInput } from "../domain/Name.ts"
import { Page, pageQuery } from "../domain/Page.ts"
import { TimestampInput } from "../domain/Timestamp.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import { Needs } from "./edge/Authentication.ts"
import { ShowsSecret } from "./edge/NoStore.ts"
import * as Problems from "./edge/Problems.ts"
import { Placed, writable } from "./edge/Resource.ts"

const NewApiKey = writable(
  {
    name: NameInput.annotate({ description: "What the key is for, as a note for people." }),
    scopes: Scopes,
    expires_at: Schema.optionalKey(Schema.NullOr(TimestampInput)).annotate({
      description: "When the key expires. Omit it or send null for a key that never expires.",
    }),
  },
  apiKeyReadOnly,
).annotate({ identifier: "NewApiKey", examples: [{ name: "Nightly import", scopes: ["read", "write"] }] })

export class ApiKeysApi extends HttpApiGroup.make("api-keys")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/api-keys", { query: pageQuery(), success: Page(ApiKey) })
      .annotate(OpenApi.Summary, "List API keys")
      .annotate(OpenApi.Description, "Returns keys, newest first, without the key text."),
    HttpApiEndpoint.post("create", "/api/v1/api-keys", { payload: NewApiKey, success: Placed(ApiKeyWithText) })
      .annotate(ShowsSecret, true)
      .annotate(OpenApi.Summary, "Create an API key")
      .annotate(
        OpenApi.Description,
        "Programs send the key as `Authorization: Bearer pak_…`. It is valid for this account only. Each scope permits one kind of operation and does not include the others: `read`, `write`, and `dial` for operations that can cause calls, such as starting or resuming a campaign and direct calls. The key is shown only in this answer.",
      ),
    HttpApiEndpoint.delete("remove", "/api/v1/api-keys/:id", {
      params: { id: Schema.String.annotate({ description: "The key's UUID." }) },
      success: HttpApiSchema.NoContent,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Delete an API key")
      .annotate(OpenApi.Description, "Requests with the key fail with 401 from then on."),
  )
  .annotate(OpenApi.Title, "API keys")
  .annotate(OpenApi.Description, "Long-lived keys for programs. Only owners of the account can manage them.")
  .annotateEndpoints(Needs, "manage")
  .pipe(addAccountMiddleware) {}
