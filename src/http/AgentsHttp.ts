/** Agents over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Agents from "../catalog/Agents.ts"
import { Agent } from "../domain/Agent.ts"
import { Page } from "../domain/Page.ts"
import { Api } from "./Api.ts"
import { asCreated, withEtag, answerWriter } from "./edge/Resource.ts"

const page = answerWriter(Page(Agent))

export const layer = HttpApiBuilder.group(Api, "agents", (handlers) =>
  handlers.handleAll({
    list: ({ query }) => page(Agents.list(query)),
    get: ({ params }) => Effect.map(Agents.find(params.id), withEtag),
    create: ({ payload }) => Effect.flatMap(Agents.create(payload), (agent) => asCreated("/api/agents", agent)),
    update: ({ headers, params, payload }) =>
      Effect.map(Agents.update(params.id, payload, headers["if-match"]), withEtag),
    remove: ({ headers, params }) => Agents.remove(params.id, headers["if-match"]),
  }),
)
