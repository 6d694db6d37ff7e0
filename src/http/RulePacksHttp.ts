/** The rule packs over HTTP: handlers translate and delegate. */
import { HttpApiBuilder } from "effect/http-api"
import * as RulePacks from "../catalog/RulePacks.ts"
import { Api } from "./Api.ts"

export const layer = HttpApiBuilder.group(Api, "rule-packs", (handlers) =>
  handlers.handleAll({
    list: ({ query }) => RulePacks.list(query),
    get: ({ params }) => RulePacks.find(params.id),
  }),
)
