/** The consent ledger over the router. */
import * as Catalog from "../catalog/Consents.ts"
import { Consent, RecordedConsents } from "../domain/Consent.ts"
import { Page } from "../domain/Page.ts"
import * as Inputs from "./inputs/Consents.ts"
import { mutation, query, router } from "./Procedure.ts"

export const consents = router({
  list: query("read", Inputs.ConsentList, Page(Consent), Catalog.list),
  get: query("read", Inputs.ConsentKey, Consent, ({ id }) => Catalog.find(id)),
  record: mutation("write", Inputs.RecordConsents, RecordedConsents, (input) => Catalog.record(input.consents)),
  revoke: mutation("write", Inputs.RevokeConsents, RecordedConsents, (input) => Catalog.revoke(input.revocations)),
})
