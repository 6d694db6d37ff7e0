/** Tools over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Tools from "../catalog/Tools.ts"
import { Tool } from "../domain/Tool.ts"
import { Page } from "../domain/Page.ts"
import { Api } from "./Api.ts"
import { asCreated, withEtag, answerWriter } from "./edge/Resource.ts"

const page = answerWriter(Page(Tool))

export const layer = HttpApiBuilder.group(Api, "tools", (handlers) =>
  handlers.handleAll({
    list: ({ query }) => page(Tools.list(query)),
    get: ({ params }) => Effect.map(Tools.find(params.id), withEtag),
    create: ({ payload }) => Effect.flatMap(Tools.create(payload), (tool) => asCreated("/api/tools", tool)),
    update: ({ headers, params, payload }) =>
      Effect.map(Tools.update(params.id, payload, headers["if-match"]), withEtag),
    remove: ({ headers, params }) => Tools.remove(params.id, headers["if-match"]),
  }),
)
