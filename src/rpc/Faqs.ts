/** FAQs over the router. */
import { Effect, Schema } from "effect"
import * as Catalog from "../catalog/Faqs.ts"
import * as Users from "../catalog/Users.ts"
import { CatalogUser } from "../domain/CatalogUser.ts"
import { Faq } from "../domain/Faq.ts"
import { Page } from "../domain/Page.ts"
import { Nothing, Tagged, withEtag } from "./Answers.ts"
import * as Inputs from "./inputs/Faqs.ts"
import { mutation, query, router } from "./Procedure.ts"

const Answer = Tagged(Faq)

export const faqs = router({
  list: query("read", Inputs.FaqList, Page(Faq), Catalog.list),
  get: query("read", Inputs.FaqKey, Answer, ({ id }) => Effect.map(Catalog.find(id), withEtag)),
  create: mutation("write", Inputs.NewFaq, Answer, (faq) => Effect.map(Catalog.create(faq), withEtag)),
  update: mutation("write", Inputs.FaqUpdate, Answer, ({ etag, id, ...change }) =>
    Effect.map(Catalog.update(id, change, etag), withEtag),
  ),
  remove: mutation("write", Inputs.FaqKey, Nothing, ({ id }) => Catalog.remove(id)),
  users: query("read", Inputs.FaqKey, Schema.Array(CatalogUser), ({ id }) => Users.ofFaq(id)),
})
