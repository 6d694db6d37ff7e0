/** Playbooks over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Playbooks from "../catalog/Playbooks.ts"
import { Playbook } from "../domain/Playbook.ts"
import { Page } from "../domain/Page.ts"
import { Api } from "./Api.ts"
import { asCreated, withEtag, answerWriter } from "./edge/Resource.ts"

const page = answerWriter(Page(Playbook))

export const layer = HttpApiBuilder.group(Api, "playbooks", (handlers) =>
  handlers.handleAll({
    list: ({ query }) => page(Playbooks.list(query)),
    get: ({ params }) => Effect.map(Playbooks.find(params.id), withEtag),
    create: ({ payload }) => Effect.flatMap(Playbooks.create(payload), (made) => asCreated("/api/playbooks", made)),
    update: ({ headers, params, payload }) =>
      Effect.map(Playbooks.update(params.id, payload, headers["if-match"]), withEtag),
    remove: ({ headers, params }) => Playbooks.remove(params.id, headers["if-match"]),
  }),
)
