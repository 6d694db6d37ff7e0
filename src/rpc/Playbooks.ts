/** Playbooks over the router. */
import { Effect, Schema } from "effect"
import * as Catalog from "../catalog/Playbooks.ts"
import * as Users from "../catalog/Users.ts"
import { CatalogUser } from "../domain/CatalogUser.ts"
import { Page } from "../domain/Page.ts"
import { Playbook } from "../domain/Playbook.ts"
import { Nothing, Tagged, withEtag } from "./Answers.ts"
import * as Inputs from "./inputs/Playbooks.ts"
import { mutation, query, router } from "./Procedure.ts"

const Answer = Tagged(Playbook)

export const playbooks = router({
  list: query("read", Inputs.PlaybookList, Page(Playbook), Catalog.list),
  get: query("read", Inputs.PlaybookKey, Answer, ({ id }) => Effect.map(Catalog.find(id), withEtag)),
  create: mutation("write", Inputs.NewPlaybook, Answer, (playbook) => Effect.map(Catalog.create(playbook), withEtag)),
  update: mutation("write", Inputs.PlaybookUpdate, Answer, ({ etag, id, ...change }) =>
    Effect.map(Catalog.update(id, change, etag), withEtag),
  ),
  remove: mutation("write", Inputs.PlaybookKey, Nothing, ({ id }) => Catalog.remove(id)),
  users: query("read", Inputs.PlaybookKey, Schema.Array(CatalogUser), ({ id }) => Users.ofPlaybook(id)),
})
