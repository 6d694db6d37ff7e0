/** Caller numbers over the router. */
import * as Catalog from "../catalog/CallerNumbers.ts"
import { CallerNumber } from "../domain/CallerNumber.ts"
import { Page } from "../domain/Page.ts"
import * as Inputs from "./inputs/CallerNumbers.ts"
import { mutation, query, router } from "./Procedure.ts"

export const callerNumbers = router({
  list: query("read", Inputs.CallerNumberList, Page(CallerNumber), Catalog.list),
  get: query("read", Inputs.CallerNumberKey, CallerNumber, ({ id }) => Catalog.find(id)),
  rest: mutation("write", Inputs.RestNumber, CallerNumber, ({ id, ...rest }) => Catalog.rest(id, rest)),
  endRest: mutation("dial", Inputs.CallerNumberKey, CallerNumber, ({ id }) => Catalog.endRest(id)),
})
