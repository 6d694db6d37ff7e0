/** The receipts of dials over the router. */
import * as Chain from "../campaigns/Receipts.ts"
import { ReceiptHead } from "../domain/Receipt.ts"
import { Nothing } from "./inputs/Fields.ts"
import { query, router } from "./Procedure.ts"

export const receipts = router({ head: query("read", Nothing, ReceiptHead, () => Chain.head()) })
