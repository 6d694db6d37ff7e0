/** Widget keys over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as WidgetKeys from "../identity/WidgetKeys.ts"
import { Api } from "./Api.ts"
import { withLocation } from "./edge/Resource.ts"

export const layer = HttpApiBuilder.group(Api, "widget-keys", (handlers) =>
  handlers.handleAll({
    list: ({ query }) => WidgetKeys.list(query),
    create: ({ payload }) =>
      Effect.flatMap(WidgetKeys.create(payload), (key) => withLocation(`/api/v1/widget-keys/${key.id}`, key)),
    remove: ({ params }) => WidgetKeys.remove(params.id),
  }),
)
