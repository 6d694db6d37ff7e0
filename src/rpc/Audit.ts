/** The audit log of the account over the router. */
import * as AuditLog from "../audit/AuditLog.ts"
import { AuditEntry, AuditPage } from "../domain/AuditEntry.ts"
import { momentAs } from "../domain/Timestamp.ts"
import * as Inputs from "./inputs/Audit.ts"
import { query, router } from "./Procedure.ts"

export const audit = router({
  list: query("audit", Inputs.AuditList, AuditPage(AuditEntry), ({ from, to, ...filter }) =>
    AuditLog.list({ ...filter, ...momentAs("from", from), ...momentAs("to", to) }),
  ),
})
