/** FAQs over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Faqs from "../catalog/Faqs.ts"
import { Faq } from "../domain/Faq.ts"
import { Page } from "../domain/Page.ts"
import { Api } from "./Api.ts"
import { asCreated, withEtag, answerWriter } from "./edge/Resource.ts"

const page = answerWriter(Page(Faq))

export const layer = HttpApiBuilder.group(Api, "faqs", (handlers) =>
  handlers.handleAll({
    list: ({ query }) => page(Faqs.list(query)),
    get: ({ params }) => Effect.map(Faqs.find(params.id), withEtag),
    create: ({ payload }) => Effect.flatMap(Faqs.create(payload), (faq) => asCreated("/api/faqs", faq)),
    update: ({ headers, params, payload }) =>
      Effect.map(Faqs.update(params.id, payload, headers["if-match"]), withEtag),
    remove: ({ headers, params }) => Faqs.remove(params.id, headers["if-match"]),
  }),
)
