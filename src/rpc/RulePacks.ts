/** The rule packs of the installation over the router. */
import * as Packs from "../catalog/RulePacks.ts"
import { Page } from "../domain/Page.ts"
import { RulePack } from "../domain/RulePack.ts"
import * as Inputs from "./inputs/RulePacks.ts"
import { query, router } from "./Procedure.ts"

export const rulePacks = router({
  list: query("read", Inputs.RulePackList, Page(RulePack), (input) => Packs.list(input)),
  get: query("read", Inputs.RulePackKey, RulePack, ({ id }) => Packs.find(id)),
})
