/** Widget keys over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { defaultTheme } from "../domain/WidgetKey.ts"
import * as WidgetKeys from "../identity/WidgetKeys.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { Api } from "./Api.ts"
import { placed } from "./edge/Resource.ts"

export const layer = HttpApiBuilder.group(Api, "widget-keys", (handlers) =>
  handlers.handleAll({
    list: ({ query }) => WidgetKeys.list(query),
    create: Effect.fnUntraced(function* ({ payload: { agent_id, greeting = null, kind, name, origins = [], theme } }) {
      const { id } = yield* CurrentTenant
      const wanted = { name, kind, agent_id, origins, greeting, theme: { ...defaultTheme, ...theme } }
      const made = yield* WidgetKeys.create(id, wanted)
      return yield* placed(`/api/v1/widget-keys/${made.id}`, made)
    }),
    remove: ({ params }) => WidgetKeys.remove(params.id),
  }),
)
