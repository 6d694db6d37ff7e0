/** API keys over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ApiKeys from "../identity/ApiKeys.ts"
import { Api } from "./Api.ts"
import { withLocation } from "./edge/Resource.ts"

export const layer = HttpApiBuilder.group(Api, "api-keys", (handlers) =>
  handlers.handleAll({
    list: ({ query }) => ApiKeys.list(query),
    create: ({ payload }) =>
      Effect.flatMap(ApiKeys.create(payload), (key) => withLocation(`/api/v1/api-keys/${key.id}`, key)),
    remove: ({ params }) => ApiKeys.remove(params.id),
  }),
)
