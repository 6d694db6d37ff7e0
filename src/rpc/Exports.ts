/** Exports of the account over the router; REST has their files. */
import * as ExportRows from "../archive/ExportRows.ts"
import { Exports } from "../archive/Exports.ts"
import { AccountExport } from "../domain/Export.ts"
import { Page } from "../domain/Page.ts"
import * as Inputs from "./inputs/Exports.ts"
import { mutation, query, router } from "./Procedure.ts"

export const exports = router({
  begin: mutation("manage", Inputs.NewExport, AccountExport, (wanted) => Exports.use(({ begin }) => begin(wanted))),
  list: query("manage", Inputs.ExportList, Page(AccountExport), ExportRows.list),
  get: query("manage", Inputs.ExportKey, AccountExport, ({ id }) => ExportRows.find(id)),
})
