/** The do-not-call list over the router. */
import { Effect } from "effect"
import * as Catalog from "../catalog/Suppressions.ts"
import { Page } from "../domain/Page.ts"
import { Suppression } from "../domain/Suppression.ts"
import { Nothing } from "./Answers.ts"
import * as Inputs from "./inputs/Suppressions.ts"
import { mutation, query, router } from "./Procedure.ts"

export const suppressions = router({
  list: query("read", Inputs.SuppressionList, Page(Suppression), Catalog.list),
  add: mutation("write", Inputs.NewSuppression, Suppression, (entry) =>
    Effect.map(Catalog.addByHand(entry), ({ suppression }) => suppression),
  ),
  remove: mutation("write", Inputs.SuppressionKey, Nothing, ({ phone_number, subject = null }) =>
    Catalog.remove(phone_number, subject),
  ),
})
