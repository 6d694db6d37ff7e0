/** Tools over the router. */
import { Effect, Schema } from "effect"
import * as Catalog from "../catalog/Tools.ts"
import * as Users from "../catalog/Users.ts"
import { CatalogUser } from "../domain/CatalogUser.ts"
import { Page } from "../domain/Page.ts"
import { ToolAnswer } from "../domain/Rehearsal.ts"
import { Tool } from "../domain/Tool.ts"
import * as Rehearsal from "../rehearsal/Rehearsal.ts"
import { Nothing, Tagged, withEtag } from "./Answers.ts"
import * as Inputs from "./inputs/Tools.ts"
import { mutation, query, router, unkeyedMutation } from "./Procedure.ts"

const Answer = Tagged(Tool)

export const tools = router({
  list: query("read", Inputs.ToolList, Page(Tool), Catalog.list),
  get: query("read", Inputs.ToolKey, Answer, ({ id }) => Effect.map(Catalog.find(id), withEtag)),
  create: mutation("write", Inputs.NewTool, Answer, (tool) => Effect.map(Catalog.create(tool), withEtag)),
  update: mutation("write", Inputs.ToolUpdate, Answer, ({ etag, id, ...change }) =>
    Effect.map(Catalog.update(id, change, etag), withEtag),
  ),
  remove: mutation("write", Inputs.ToolKey, Nothing, ({ id }) => Catalog.remove(id)),
  users: query("read", Inputs.ToolKey, Schema.Array(CatalogUser), ({ id }) => Users.ofTool(id)),
  invoke: unkeyedMutation("write", Inputs.ToolInvocation, ToolAnswer, ({ id, ...job }) =>
    Rehearsal.invokeTool(id, job),
  ),
})
